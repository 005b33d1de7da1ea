// hone_binder: a Python module that opens the objects that hone builds from an
// answer's load_inline, and makes their functions callable.
//
// open(path, [(name, symbol, spec)]) returns a module with one function per name. A
// symbol is a function void(void** arguments, void* results) of the object; a spec
// is one letter per parameter, ">", and one per result:
//
//     T Tensor   O optional<Tensor>   V vector<Tensor>   I vector<int64_t>
//     i int64_t  n int  u size_t      b bool   f double  s string    v nothing
//
// Arguments point to one at::Tensor (undefined for None where it is optional),
// std::vector<at::Tensor>, std::vector<int64_t>, int64_t, double, bool or std::string
// each; n and u travel as int64_t. Results that are tensors go to a
// std::vector<at::Tensor>, a number to a Number. Several tensors are a tuple, V is a
// list. What the function throws is a RuntimeError.
#include <Python.h>
#include <dlfcn.h>
#include <limits>
#include <string>
#include <torch/csrc/autograd/python_variable.h>
#include <vector>

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif

namespace {

using Entry = void (*)(void** arguments, void* results);

// Results is what a function leaves; the object's own text has the same struct.
struct Results {
    std::vector<at::Tensor> tensors;
    int64_t integer = 0;
    double real = 0;
};

// Hooks are what the object's runtime wants called around its functions; all may be null.
struct Hooks {
    void (*begin)() = nullptr;
    const char* (*end)() = nullptr;
};

struct Function {
    std::string name, parameters, results;
    Entry entry;
    Hooks hooks;
};

// Argument holds one converted argument.
struct Argument {
    at::Tensor tensor;
    std::vector<at::Tensor> tensors;
    std::vector<int64_t> integers;
    std::string text;
    int64_t integer = 0;
    double real = 0;
    bool flag = false;
};

const char* wanted(char spec) {
    switch (spec) {
        case 'T':
            return "a Tensor";
        case 'O':
            return "a Tensor or None";
        case 'V':
            return "a list of Tensors";
        case 'I':
            return "a list of int";
        case 'b':
            return "a bool";
        case 'f':
            return "a float";
        case 's':
            return "a str";
    }
    return "an int that fits";
}

bool read_tensor(PyObject* object, at::Tensor* to) {
    if (!THPVariable_Check(object)) return false;
    *to = THPVariable_Unpack(object);
    return true;
}

bool read_integer(PyObject* object, char spec, int64_t* to) {
    if (PyFloat_Check(object)) return false;
    PyObject* index = PyNumber_Index(object);
    if (index == nullptr) return false;
    *to = PyLong_AsLongLong(index);
    Py_DECREF(index);
    if (*to == -1 && PyErr_Occurred() != nullptr) return false;
    if (spec == 'n') return *to == static_cast<int32_t>(*to);
    return spec != 'u' || *to >= 0;
}

bool read_list(PyObject* object, char spec, Argument* to) {
    if (!PyList_Check(object) && !PyTuple_Check(object)) return false;
    PyObject* items = PySequence_Fast(object, "");
    if (items == nullptr) return false;
    bool ok = true;
    for (Py_ssize_t i = 0; ok && i < PySequence_Fast_GET_SIZE(items); i++) {
        PyObject* item = PySequence_Fast_GET_ITEM(items, i);
        if (spec == 'V') {
            at::Tensor tensor;
            ok = read_tensor(item, &tensor);
            to->tensors.push_back(tensor);
            continue;
        }
        int64_t value = 0;
        ok = read_integer(item, 'i', &value);
        to->integers.push_back(value);
    }
    Py_DECREF(items);
    return ok;
}

// read converts an argument and points to it; null when it is none of that kind.
void* read(PyObject* object, char spec, Argument* to) {
    switch (spec) {
        case 'O':
            if (object == Py_None) return &to->tensor;
            [[fallthrough]];
        case 'T':
            return read_tensor(object, &to->tensor) ? &to->tensor : nullptr;
        case 'V':
            return read_list(object, spec, to) ? &to->tensors : nullptr;
        case 'I':
            return read_list(object, spec, to) ? &to->integers : nullptr;
        case 'b':
            if (object != Py_True && object != Py_False) return nullptr;
            to->flag = object == Py_True;
            return &to->flag;
        case 'f':
            to->real = PyFloat_AsDouble(object);
            return PyErr_Occurred() == nullptr ? &to->real : nullptr;
        case 's': {
            Py_ssize_t size = 0;
            const char* text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : nullptr;
            if (text == nullptr) return nullptr;
            to->text.assign(text, size_t(size));
            return &to->text;
        }
        default:
            return read_integer(object, spec, &to->integer) ? &to->integer : nullptr;
    }
}

PyObject* write_tensors(const std::vector<at::Tensor>& tensors, PyObject* sequence,
                        int (*set)(PyObject*, Py_ssize_t, PyObject*)) {
    for (size_t i = 0; sequence != nullptr && i < tensors.size(); i++) {
        PyObject* item = THPVariable_Wrap(tensors[i]);
        if (item == nullptr || set(sequence, Py_ssize_t(i), item) != 0) {
            Py_DECREF(sequence);
            return nullptr;
        }
    }
    return sequence;
}

PyObject* write(const Function& f, const Results& r) {
    switch (f.results[0]) {
        case 'T':
            if (f.results.size() == 1) return THPVariable_Wrap(r.tensors.at(0));
            return write_tensors(r.tensors, PyTuple_New(Py_ssize_t(r.tensors.size())), PyTuple_SetItem);
        case 'V':
            return write_tensors(r.tensors, PyList_New(Py_ssize_t(r.tensors.size())), PyList_SetItem);
        case 'i':
            return PyLong_FromLongLong(r.integer);
        case 'b':
            return PyBool_FromLong(r.integer != 0);
        case 'f':
            return PyFloat_FromDouble(r.real);
    }
    Py_RETURN_NONE;
}

// run calls the function and says what went wrong; empty when nothing did.
std::string run(const Function& f, void** arguments, Results* results) {
    try {
        if (f.hooks.begin != nullptr) f.hooks.begin();
        f.entry(arguments, results);
        const char* error = f.hooks.end != nullptr ? f.hooks.end() : nullptr;
        return error == nullptr ? "" : error;
    } catch (const c10::Error& e) {
        return e.what_without_backtrace();
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "it threw something that is no std::exception";
    }
}

const char* const capsule_name = "hone_binder.function";

PyObject* call(PyObject* capsule, PyObject* const* objects, Py_ssize_t count) {
    auto* f = static_cast<Function*>(PyCapsule_GetPointer(capsule, capsule_name));
    if (f == nullptr) return nullptr;
    if (size_t(count) != f->parameters.size()) {
        return PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, not %zd", f->name.c_str(),
                            Py_ssize_t(f->parameters.size()), count);
    }
    std::vector<Argument> arguments(size_t(count), Argument{});
    std::vector<void*> pointers(size_t(count), nullptr);
    for (Py_ssize_t i = 0; i < count; i++) {
        pointers[size_t(i)] = read(objects[i], f->parameters[size_t(i)], &arguments[size_t(i)]);
        if (pointers[size_t(i)] != nullptr) continue;
        PyErr_Clear();
        return PyErr_Format(PyExc_TypeError, "%s(): argument %zd must be %s, not %s", f->name.c_str(), i + 1,
                            wanted(f->parameters[size_t(i)]), Py_TYPE(objects[i])->tp_name);
    }
    Results results;
    std::string error;
    Py_BEGIN_ALLOW_THREADS error = run(*f, pointers.data(), &results);
    Py_END_ALLOW_THREADS if (!error.empty()) {
        PyErr_SetString(PyExc_RuntimeError, error.c_str());
        return nullptr;
    }
    return write(*f, results);
}

PyMethodDef call_method = {"call", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
                           METH_FASTCALL, nullptr};

template <class F>
F find(void* object, const char* name) {
    return reinterpret_cast<F>(dlsym(object, name));
}

// start readies the object's runtime, once it is known that it has one.
Hooks start(void* object, const char* path, const void* inside) {
    constexpr size_t memory = size_t(16) << 30;  // what cudaMalloc may give; the process's own limit is lower
    if (auto start = find<void (*)(size_t)>(object, "hone_library_start")) start(memory);
    if (auto load = find<void (*)(const char*, const void*)>(object, "hone_library_load")) load(path, inside);
    return {find<void (*)()>(object, "hone_library_begin"),
            find<const char* (*)()>(object, "hone_library_end")};
}

// bind adds one function to the module.
bool bind(PyObject* module, void* object, const char* path, const char* name, const char* symbol,
          const char* spec) {
    auto entry = find<Entry>(object, symbol);
    const char* arrow = strchr(spec, '>');
    if (entry == nullptr || arrow == nullptr || arrow[1] == 0) {
        PyErr_Format(PyExc_ImportError, "%s: no function %s(%s)", path, symbol, spec);
        return false;
    }
    // Both live as long as the process: so does the object.
    auto* f = new Function{name, std::string(spec, arrow), arrow + 1, entry,
                           start(object, path, reinterpret_cast<const void*>(entry))};
    PyObject* capsule = PyCapsule_New(f, capsule_name, nullptr);
    PyObject* callable = capsule == nullptr ? nullptr : PyCFunction_NewEx(&call_method, capsule, nullptr);
    Py_XDECREF(capsule);
    if (callable == nullptr) return false;
    int failed = PyObject_SetAttrString(module, name, callable);
    Py_DECREF(callable);
    return failed == 0;
}

PyObject* open_object(PyObject*, PyObject* arguments) {
    const char* path = nullptr;
    PyObject* functions = nullptr;
    if (!PyArg_ParseTuple(arguments, "sO!:open", &path, &PyList_Type, &functions)) return nullptr;
    // The object finds its own libraries first: the process may hold a real CUDA runtime.
    void* object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (object == nullptr) return PyErr_Format(PyExc_ImportError, "%s", dlerror());
    PyObject* module = PyModule_New("hone_inline");
    for (Py_ssize_t i = 0; module != nullptr && i < PyList_GET_SIZE(functions); i++) {
        const char *name = nullptr, *symbol = nullptr, *spec = nullptr;
        PyObject* item = PyList_GET_ITEM(functions, i);
        bool read = PyTuple_Check(item) && PyArg_ParseTuple(item, "sss:open", &name, &symbol, &spec);
        if (!read && PyErr_Occurred() == nullptr)
            PyErr_SetString(PyExc_TypeError, "open: functions are tuples of name, symbol and spec");
        if (read && bind(module, object, path, name, symbol, spec)) continue;
        Py_DECREF(module);
        return nullptr;
    }
    return module;
}

PyMethodDef methods[] = {
    {"open", open_object, METH_VARARGS, "open(path, [(name, symbol, spec)]) -> module"},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "hone_binder", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr,
};

}  // namespace

PyMODINIT_FUNC PyInit_hone_binder() {
    return PyModule_Create(&definition);
}

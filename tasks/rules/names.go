package rules

import "strings"

// The lists of names that rules go by, a few words each; isOneOf reads them.
const (
	// nnAllowed are the names of torch.nn that hold state and compute nothing.
	nnAllowed = "Module Parameter parameter ParameterList ParameterDict ModuleList ModuleDict Buffer init functional"

	// torchAllowed are the names below torch that make tensors, change how they
	// are seen, copy them, ask about them or hold the program together.
	torchAllowed = "Tensor Size Generator device dtype layout memory_format strided " +
		"float32 float float64 double float16 half bfloat16 int8 uint8 int16 short int32 int int64 long bool " +
		"complex64 complex128 float8_e4m3fn float8_e5m2 uint16 uint32 uint64 " +
		"FloatTensor HalfTensor DoubleTensor LongTensor IntTensor BoolTensor " +
		"contiguous_format channels_last channels_last_3d preserve_format " +
		"empty empty_like empty_strided empty_permuted zeros zeros_like ones ones_like full full_like tensor as_tensor " +
		"asarray scalar_tensor from_numpy from_dlpack frombuffer arange linspace eye " +
		"rand rand_like randn randn_like randint randint_like randperm manual_seed seed initial_seed normal bernoulli " +
		"reshape ravel flatten unflatten squeeze unsqueeze permute transpose t swapaxes swapdims movedim moveaxis narrow " +
		"split tensor_split chunk unbind select as_strided broadcast_to broadcast_shapes view_as_real view_as_complex " +
		"cat concat concatenate stack clone " +
		"is_tensor is_floating_point is_complex is_storage numel finfo iinfo promote_types result_type can_cast " +
		"get_default_dtype set_default_dtype get_device get_device_module is_grad_enabled is_inference_mode_enabled set_printoptions " +
		"no_grad enable_grad inference_mode set_grad_enabled set_default_device " +
		"cuda utils autograd backends nn types version __version__ typing pi inf nan e get_float32_matmul_precision " +
		"set_float32_matmul_precision use_deterministic_algorithms"

	// tensorMethods compute. Where one is called in place it ends in "_"; add and
	// sort are methods of Python's own collections too, and count in place only.
	tensorMethods = "matmul mm bmm mv dot inner outer ger vdot addmm addmv addbmm baddbmm addr smm sspaddmm " +
		"relu prelu sigmoid tanh softmax log_softmax hardshrink gelu silu mish softplus elu selu leaky_relu " +
		"logsumexp logcumsumexp clamp clamp_min clamp_max clip exp exp2 expm1 log2 log10 log1p log sqrt rsqrt square " +
		"reciprocal sin cos tan asin acos atan atan2 sinh cosh asinh acosh atanh erf erfc erfinv lgamma digamma sigmoid " +
		"pow abs absolute neg negative sign sgn floor ceil trunc frac round logit " +
		"sum nansum mean nanmean prod max min amax amin aminmax argmax argmin std var norm median nanmedian quantile " +
		"cumsum cumprod cummax cummin diff topk kthvalue argsort unique bincount histc count_nonzero " +
		"mul multiply div divide true_divide floor_divide sub subtract add_ sort_ remainder fmod addcmul addcdiv lerp " +
		"where maximum minimum fmax fmin masked_fill masked_select masked_scatter gather scatter scatter_add " +
		"scatter_reduce index_add index_select index_fill index_copy index_reduce take take_along_dim triu tril cross " +
		"cdist dist renorm corrcoef cov cholesky inverse det logdet svd qr pinverse matrix_power matrix_exp " +
		"layer_norm batch_norm instance_norm group_norm conv1d conv2d conv3d"

	// cppAllowed are the functions and namespaces below at:: and torch:: that
	// compute nothing. Types and constants begin with a capital or a k.
	cppAllowed = "empty empty_like empty_strided zeros zeros_like ones ones_like full full_like tensor scalar_tensor " +
		"from_blob arange linspace rand rand_like randn randn_like randint randperm manual_seed eye " +
		"reshape flatten squeeze unsqueeze permute transpose narrow split chunk select as_strided cat stack clone " +
		"dtype device layout requires_grad memory_format pinned_memory device_of optional nullopt make_optional " +
		"cuda autograd indexing detail headeronly opmath_type acc_type ceil_div numeric_limits toString " +
		"typeMetaToScalarType promote_types promoteTypes result_type can_cast elementSize isFloatingType isIntegralType " +
		"is_tensor numel sizes size stride strides get_device value_of types python class_ init_extension_module " +
		"toAccumulateType toOpMathType check_dim_size infer_size checkAllSameGPU checkSameDtype checkSameGPU optional_device_of"

	// cppOperators are operators that C++ finds without at:: in front, since
	// their arguments are tensors. None of them is a function of CUDA.
	cppOperators = "matmul mm bmm mv addmm addmv addbmm baddbmm einsum tensordot linear bilinear " +
		"conv1d conv2d conv3d convolution conv_transpose1d conv_transpose2d conv_transpose3d " +
		"relu gelu silu mish elu selu leaky_relu hardtanh hardsigmoid hardswish softplus softsign sigmoid " +
		"softmax log_softmax logsumexp layer_norm batch_norm group_norm instance_norm rms_norm " +
		"avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d adaptive_avg_pool1d adaptive_avg_pool2d " +
		"adaptive_avg_pool3d adaptive_max_pool2d cumsum cumprod argmax argmin amax amin topk clamp " +
		"mse_loss cross_entropy_loss kl_div huber_loss smooth_l1_loss cosine_similarity scaled_dot_product_attention"

	// libraries are Python packages with operators of their own.
	libraries = "cupy numba scipy jax jaxlib tensorflow keras xformers flash_attn apex torchvision torchaudio " +
		"transformer_engine bitsandbytes nvmath cudnn cutlass cuda tvm tilelang triton_kernels flashinfer deep_gemm " +
		"liger_kernel mamba_ssm causal_conv1d transformers sklearn cuml pylibraft kornia onnxruntime tensorrt torch_tensorrt"

	// threadModules and those after it are modules with no other use.
	threadModules  = "threading _thread concurrent multiprocessing asyncio torch.multiprocessing sched"
	networkModules = "socket socketserver ssl urllib urllib2 urllib3 http httplib requests httpx aiohttp ftplib smtplib " +
		"telnetlib xmlrpc websocket websockets paramiko boto3 grpc zmq torch.hub huggingface_hub torch.distributed wget"
	dynamicModules = "importlib imp runpy code codeop marshal dill cloudpickle ctypes cffi atexit signal pdb bdb pyximport dis"
	processModules = "subprocess pty psutil sh pexpect"

	processCalls = "os.system os.popen os.fork os.forkpty os._exit os.kill os.killpg os.abort os.posix_spawn " +
		"os.posix_spawnp os.setsid os.ptrace"
	dynamicNames = "exec eval compile __import__ globals breakpoint sys._getframe sys.settrace sys.setprofile " +
		"sys._current_frames sys.modules sys.meta_path sys.path_hooks gc.get_objects gc.get_referrers gc.get_referents " +
		"inspect.stack inspect.currentframe inspect.getouterframes inspect.trace inspect.getmembers " +
		"types.FunctionType types.CodeType types.MethodType"
	dynamicAttributes = "__globals__ __code__ __closure__ __subclasses__ __builtins__ f_back f_globals f_locals " +
		"tb_frame gi_frame cr_frame ag_frame"
	// hostCalls are C functions that reach out of the process or load code.
	hostCalls = "dlopen dlmopen dlsym system popen fork vfork execl execlp execle execv execvp execve execvpe posix_spawn " +
		"posix_spawnp ptrace mprotect socket syscall process_vm_writev process_vm_readv LD_PRELOAD"
)

// isOneOf reports whether a word is in a list of words.
func isOneOf(word, list string) bool {
	for list != "" {
		var next string
		next, list, _ = strings.Cut(list, " ")
		if next == word {
			return word != ""
		}
	}
	return false
}

// inModules reports whether a name is one of the modules or something in them.
func inModules(name, modules string) bool {
	for name != "" {
		if isOneOf(name, modules) {
			return true
		}
		name = name[:max(0, strings.LastIndexByte(name, '.'))]
	}
	return false
}

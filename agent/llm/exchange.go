package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"time"
)

// maxErrorBody bounds what is read of a response that is no success.
const maxErrorBody = 64 << 10

// exchange is one request and its response: the HTTP client that go-openai uses.
type exchange struct {
	client *http.Client
	host   string
	key    Key
	fields map[string]any // of the request body
	watch  *watch
	raw    *rawBody
}

// Do implements openai.HTTPDoer. Its errors are *Error or the context's.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if err := x.complete(req); err != nil {
		return nil, err
	}
	resp, err := x.client.Do(req)
	if err != nil {
		if req.Context().Err() != nil {
			return nil, req.Context().Err()
		}
		return nil, transportError(x.host, err, x.key)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, x.refused(resp)
	}
	return x.accept(resp)
}

// complete puts the fields into the body. go-openai would leave out zeros and
// refuse models and settings by name.
func (x *exchange) complete(req *http.Request) error {
	defer req.Body.Close()
	body := map[string]any{}
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		return fmt.Errorf("complete model request: %w", err)
	}
	maps.Copy(body, x.fields)
	maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("complete model request: %w", err)
	}
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(raw))
	return nil
}

// refused makes an Error of a response that is no success.
func (x *exchange) refused(resp *http.Response) *Error {
	var message string
	if !isHTML(resp) {
		body, _ := io.ReadAll(io.LimitReader(x.body(resp), maxErrorBody)) // a part says enough
		message = errorMessage(body)
	}
	wait := retryAfter(resp.Header.Get("Retry-After"), time.Now())
	return statusError(x.host, resp.StatusCode, scrub(message, x.key), wait).withKey(x.key)
}

// accept puts the normalised stream in the place of the body.
func (x *exchange) accept(resp *http.Response) (*http.Response, error) {
	if isHTML(resp) {
		resp.Body.Close()
		return nil, &Error{Kind: KindNotFound, Status: resp.StatusCode,
			Cause: fmt.Sprintf("model endpoint %s answered with a web page", x.host), Next: nextURL}
	}
	stream := &events{
		source: bufio.NewReaderSize(x.body(resp), 16<<10),
		host:   x.host, key: x.key, json: mediaType(resp) == "application/json",
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{stream, resp.Body}
	return resp, nil
}

// body is that of a response, watched and kept.
func (x *exchange) body(resp *http.Response) io.Reader {
	return x.raw.tee(x.watch.reader(resp.Body))
}

func isHTML(resp *http.Response) bool { return mediaType(resp) == "text/html" }

func mediaType(resp *http.Response) string {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// retryAfter reads the header's two forms, seconds and a date; 0 if neither.
func retryAfter(value string, now time.Time) time.Duration {
	const longest = 24 * time.Hour // keeps the arithmetic of absurd values safe
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, longest.Seconds()) * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(date.Sub(now), 0), longest)
	}
	return 0
}

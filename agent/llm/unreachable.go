package llm

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
)

// transportError makes an Error of a request that got no response.
func transportError(host string, err error, key Key) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL
	}
	reason := scrub(err.Error(), key)
	if next, ok := tlsAdvice(err); ok {
		return &Error{Kind: KindTLS, Cause: fmt.Sprintf("no secure connection to model endpoint %s: %s", host, reason), Next: next}
	}
	e := &Error{Kind: KindUnreachable, Next: "start the server, or correct base_url", again: true}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		e.Cause, e.again = fmt.Sprintf("model endpoint %s has no address", host), false
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		e.Cause = fmt.Sprintf("model endpoint %s closed the connection without an answer", host)
	default:
		e.Cause = fmt.Sprintf("model endpoint %s cannot be reached: %s", host, reason)
	}
	return e
}

// tlsAdvice is false for an error that is not about TLS.
func tlsAdvice(err error) (next string, ok bool) {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		name         x509.HostnameError
		record       tls.RecordHeaderError
		alert        tls.AlertError
	)
	switch {
	case errors.As(err, &record) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the server does not speak TLS: begin base_url with http://", true
	case errors.As(err, &authority):
		return "install the authority's certificate on this machine", true
	case errors.As(err, &name):
		return "use the name in base_url that the certificate is for", true
	case errors.As(err, &verification) || errors.As(err, &alert):
		return "check the server's certificate and this machine's clock", true
	}
	return "", false
}

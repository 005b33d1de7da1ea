package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// Offer is a model that an endpoint offers.
type Offer struct {
	ID      string
	Context *int   // tokens it reads; nil where the endpoint does not say
	Owner   string // "" where the endpoint does not say
}

const (
	listTime = 30 * time.Second // for the whole list
	maxList  = 8 << 20          // bytes of it
)

// Models lists what the endpoint of a profile offers, in order of the names. The
// profile need not name a model. Errors are *Error, or wrap ctx's cause.
func Models(ctx context.Context, p Profile) ([]Offer, error) {
	c, err := reach(p)
	if err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	body, err := c.list(timed)
	switch {
	case err == nil:
		return c.offers(body)
	case ctx.Err() != nil:
		return nil, stopped(ctx)
	case timed.Err() != nil:
		return nil, &Error{Kind: KindTimeout, Cause: fmt.Sprintf("model endpoint %s did not list its models within %s", c.host, listTime), Next: "try again"}
	}
	return nil, err
}

// list is the body of the endpoint's list.
func (c *Client) list(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/models", nil)
	if err != nil {
		return nil, fmt.Errorf("list models of endpoint %s: %w", c.host, err)
	}
	req.Header.Set("Accept", "application/json")
	if c.profile.Key != "" {
		req.Header.Set("Authorization", "Bearer "+string(c.profile.Key))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, transportError(c.host, err, c.profile.Key)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	switch {
	case err != nil:
		return nil, transportError(c.host, err, c.profile.Key)
	case resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusMethodNotAllowed, isHTML(resp):
		return nil, &Error{Kind: KindNotFound, Status: resp.StatusCode,
			Cause: fmt.Sprintf("model endpoint %s has no list of models", c.host), Next: nextURL + "; some servers offer no list, so take the model's name from their documentation"}
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		wait := retryAfter(resp.Header.Get("Retry-After"), time.Now())
		return nil, statusError(c.host, resp.StatusCode, scrub(errorMessage(body), c.profile.Key), wait).withKey(c.profile.Key)
	}
	return body, nil
}

// offers reads a list: OpenAI's, in which servers have added the length of the
// context under names of their own.
func (c *Client) offers(body []byte) ([]Offer, error) {
	var list struct {
		Data *[]struct {
			ID            text `json:"id"`
			OwnedBy       text `json:"owned_by"`
			MaxModelLen   size `json:"max_model_len"`      // vLLM, SGLang
			ContextLength size `json:"context_length"`     // OpenRouter
			MaxContext    size `json:"max_context_length"` // LM Studio
			ContextWindow size `json:"context_window"`     // Groq
			Meta          struct {
				Context size `json:"n_ctx"` // llama.cpp, as served
				Trained size `json:"n_ctx_train"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil || list.Data == nil {
		return nil, &Error{Kind: KindBadRequest, Cause: fmt.Sprintf("model endpoint %s answered with something else than a list of models", c.host), Next: nextURL}
	}
	offers := []Offer{}
	for _, m := range *list.Data {
		o := Offer{ID: scrub(string(m.ID), c.profile.Key), Owner: scrub(string(m.OwnedBy), c.profile.Key)}
		if n := int(cmp.Or(m.MaxModelLen, m.ContextLength, m.MaxContext, m.ContextWindow, m.Meta.Context, m.Meta.Trained)); n > 0 {
			o.Context = &n
		}
		offers = append(offers, o)
	}
	slices.SortFunc(offers, func(a, b Offer) int { return cmp.Compare(a.ID, b.ID) })
	return offers, nil
}

// size is a count; anything else that servers put in its place counts as none.
type size int

// UnmarshalJSON implements json.Unmarshaler.
func (s *size) UnmarshalJSON(raw []byte) error {
	var n int
	if json.Unmarshal(raw, &n) == nil {
		*s = size(n)
	}
	return nil
}

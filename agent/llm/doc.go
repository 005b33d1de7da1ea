// Package llm is the client of models behind OpenAI-compatible endpoints.
//
// [Client] implements agent.Model on go-openai. Servers differ in where they put
// reasoning, how they report errors inside a stream, how they keep it alive and
// how they end it; go-openai loses much of that. So an exchange sits under it as
// its HTTP client: it completes the request, keeps what a failed response says,
// and turns any event stream into a plain one that either ends well or fails with
// an [Error]. A stream that just stops is an error, never a short reply.
//
// Requests are sent again only before the first token. Nothing here reads the
// environment, and no key is ever part of a text.
//
// Start at client.go, then exchange.go (one request) and events.go (its stream).
package llm

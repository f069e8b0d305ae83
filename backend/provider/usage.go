package provider

import "hermes/backend/message"

// usage are token counts; the parts that a cache served stand where OpenAI and
// OpenRouter put them, or where DeepSeek does.
type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	CacheHit         int `json:"prompt_cache_hit_tokens"`
	Details          struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
}

func (u usage) neutral() message.Usage {
	out := message.Usage{InputTokens: max(u.PromptTokens, 0), OutputTokens: max(u.CompletionTokens, 0)}
	// A part is never more than the whole, whatever a server counts.
	out.CacheRead = min(max(u.Details.Cached, u.CacheHit, 0), out.InputTokens)
	out.CacheWrite = min(max(u.Details.Written, 0), out.InputTokens-out.CacheRead)
	return out
}

// Package message holds the words of a conversation: messages, tool calls,
// results, events and deterministic call ids.
package message

package agent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"hermes/backend/agent"
	"hermes/backend/message"
	"hermes/backend/store"
)

// loopModel asks for calls in each of its rounds and then answers.
type loopModel struct{ round, rounds, calls int }

func (m *loopModel) Stream(context.Context, agent.Request, func(string)) (agent.Turn, error) {
	if m.round++; m.round > m.rounds {
		return agent.Turn{Content: "end"}, nil
	}
	return agent.Turn{ToolCalls: []message.ToolCall{toolCall(fmt.Sprint("r", m.round), batchOf(m.calls)[0].Arguments)}}, nil
}

// BenchmarkRound is what a round of the loop costs without model and tool time,
// the turn durable.
func BenchmarkRound(b *testing.B) {
	for _, calls := range []int{1, 10} {
		b.Run(fmt.Sprintf("%d calls", calls), func(b *testing.B) {
			s, err := store.Open(filepath.Join(b.TempDir(), "state.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			f := serversOf(calls, func(int) *tool { return &tool{Server: "one", Result: "done", Overlap: agent.WithReads} })
			const rounds = 10
			for b.Loop() {
				session, err := s.CreateSession(b.Context(), store.Session{})
				if err != nil {
					b.Fatal(err)
				}
				loop := &agent.Loop{Model: &loopModel{rounds: rounds, calls: calls}, Tools: f, Journal: s, Gate: gate{}}
				done, err := loop.Run(b.Context(), session, "go", func(message.Event) {})
				if err != nil || done.ToolCalls != rounds*calls {
					b.Fatal(done, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*rounds), "us/round")
		})
	}
}

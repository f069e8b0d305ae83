package pin

import "time"

const (
	// maxFile bounds the file, in bytes; a longer one was not written by us.
	maxFile = 64 << 20
	// maxDefinition bounds one kept definition, in bytes. No request carries a
	// longer one anyway.
	maxDefinition = 384 << 10
	// maxTools bounds how many tools of one server are remembered, those that
	// are gone included. Forgetting one would let it come back changed, so what
	// is beyond is set aside instead.
	maxTools = 20000
	// maxServers bounds how many servers are remembered.
	maxServers = 300
	// renewAfter is how old the time of a list may get that stays the same.
	renewAfter = 24 * time.Hour
	// lockWait bounds how long writing waits for another process.
	lockWait = 5 * time.Second
	// lockPause is between two tries to get the lock.
	lockPause = 10 * time.Millisecond
)

package host

// Usage is the resident memory in bytes and the CPU time, in percent of one core
// since the last look, of a server's whole process group. It is measured when it
// is asked for and never else; ok is false where there is nothing to measure.
func (h *Host) Usage(server string) (memoryBytes int64, cpuPercent float64, ok bool) {
	h.mu.Lock()
	manager := h.manager
	h.mu.Unlock()
	if manager == nil {
		return 0, 0, false
	}
	return manager.Usage(server)
}

// Retry tries a server that is not connected at once, as a person asked for it,
// and returns before the outcome is known. Whether it may run is for the caller
// to say; one that may not is left alone.
func (h *Host) Retry(server string) error {
	manager, err := h.servers()
	if err != nil {
		return err
	}
	manager.Retry(server)
	return nil
}

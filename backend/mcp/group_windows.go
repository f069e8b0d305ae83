package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: the system ends every process in it when its last
// handle closes, so it also holds when we are killed.
type group struct {
	job windows.Handle
}

// confine starts the child suspended, so that it cannot have children before it
// is in its job, without a console window of its own.
func confine(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
		CmdLine:       batchCommandLine(cmd.Path, cmd.Args),
	}
	if cmd.SysProcAttr.CmdLine == "" {
		return
	}
	if system, err := windows.GetSystemDirectory(); err == nil {
		cmd.Path = batchShell(system)
	} else {
		cmd.Err = fmt.Errorf("finding cmd.exe: %w", err)
	}
}

// adopt puts the suspended process into a new job and lets it run.
func adopt(cmd *exec.Cmd, _ string) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("creating a job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assignAndResume(job, cmd.Process.Pid)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("confining the process: %w", err)
	}
	return &group{job: job}, nil
}

func assignAndResume(job windows.Handle, pid int) error {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_SUSPEND_RESUME
	process, err := windows.OpenProcess(access, false, uint32(pid))
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return err
	}
	// The documented ResumeThread needs a thread handle, which os/exec closes.
	status, _, _ := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess").Call(uintptr(process))
	if status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

// terminate is the same as kill: a program without a console has no gentler
// signal than its closed standard input.
func (g *group) terminate() { g.kill() }

func (g *group) kill() { _ = windows.TerminateJobObject(g.job, 1) }

func (g *group) destroy(timing) { g.kill() }

// remember has nothing to keep: no process leaves its job.
func (g *group) remember() {}

// brand has nothing to write: the job holds whatever a process starts.
func brand(int, string) {}

// began is not needed to tell a job.
func (g *group) began() uint64 { return 0 }

// sweep ends the descendants: the job holds them all.
func (g *group) sweep(timing) { g.kill() }

func (g *group) release() { _ = windows.CloseHandle(g.job) }

// endGroups has nothing to do here: the jobs of a killed program are closed by
// the system.
func endGroups(leaders, string, timing) {}

func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.DETACHED_PROCESS}
}

func guardDir() string { return "" }

func guardEnviron() []string { return []string{"SystemRoot=" + os.Getenv("SystemRoot")} }

func ignoreSignals() { signal.Ignore(os.Interrupt) }

// Package dap speaks the debug adapter protocol with Jupyter's additions, for the debugger of package debug.
//
// A request comes as the content of a debug_request and is answered with that of a debug_reply; events go out on their own.
// Every request is one method in the file of its subject:
//
//	server.go       initialize, attach, disconnect, terminate, configurationDone, threads, modules, and who serves what
//	breakpoints.go  dumpCell, setBreakpoints, setExceptionBreakpoints, source, debugInfo
//	run.go          continue, next, stepIn, stepOut, pause, stackTrace, exceptionInfo
//	variables.go    scopes, variables, setVariable, evaluate, inspectVariables, richInspectVariables, copyToGlobals
//
// The protocol: https://microsoft.github.io/debug-adapter-protocol, and "Debugging" in the Jupyter messaging specification.
// The shapes of what Jupyter adds are those that ipykernel answers with.
//
// # Sources
//
// A cell's source has the path prefix + MurmurHash2 of its text + suffix, which clients compute themselves. There is no such
// file: request source tells the text.
//
// # Identifiers
//
// Frames and variablesReferences are numbers that hold until the program goes on; those of inspectVariables until the next one.
package dap

package debug

import "reflect"

// Table is what emitted code imports of the debugger, as part of package h.
func (d *Debugger) Table() map[string]reflect.Value {
	return map[string]reflect.Value{
		"DebugFrame":     reflect.ValueOf((*Frame)(nil)),
		"DebugArmed":     reflect.ValueOf(d.armed),
		"DebugEnter":     reflect.ValueOf(d.Enter),
		"DebugRun":       reflect.ValueOf(d.Run),
		"DebugRunDefers": reflect.ValueOf(d.RunDefers),
		"DebugStop":      reflect.ValueOf(d.Stop),
		"DebugShow":      reflect.ValueOf(show),
	}
}

// armed is the unit's table of statements that ask whether to stop.
func (d *Debugger) armed(unit int) []bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.units[unit].armed
}

func show(f *Frame, values ...any) { f.shown = values }

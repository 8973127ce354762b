"""jupyter_kernel_test, the conformance suite of the Jupyter project, on the installed kernel."""

import os
import unittest

import jupyter_kernel_test

# A loaded machine is no reason to fail.
jupyter_kernel_test.TIMEOUT = 60


class Conformance(jupyter_kernel_test.KernelTests):
    kernel_name = "godp"
    language_name = "go"
    file_extension = ".go"

    code_hello_world = 'fmt.Println("hello, world")'
    code_stderr = 'fmt.Fprintln(os.Stderr, "oops")'
    completion_samples = [
        {"text": "fmt.Printl", "matches": {"Println"}},
        {"text": "strings.ToUp", "matches": {"ToUpper", "ToUpperSpecial"}},
    ]
    complete_code_samples = ["1", 'fmt.Println("x")', "func f() {\n}", "type T struct {\n\ta int\n}", "x := []int{1,\n2}"]
    incomplete_code_samples = ["func f() {", "if true {\n", "x := []int{1,", "fmt.Println(", "s := `abc"]
    invalid_code_samples = [")", "func f() }", "x := ]"]
    code_generate_error = 'panic("boom")'
    code_execute_result = [
        {"code": "1+2", "result": "3"},
        {"code": '"a" + "b"', "result": "ab"},
        {"code": "x := 6\nx * 7", "result": "42"},
    ]
    code_display_data = [
        {"code": 'display.HTML("<b>x</b>")', "mime": "text/html"},
        {"code": 'display.Markdown("# x")', "mime": "text/markdown"},
        {"code": 'display.Math("e^x")', "mime": "text/latex"},
        {"code": "display.Show(plot.New())", "mime": "image/svg+xml"},
        {"code": "display.Show(plot.New())", "mime": "image/png"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "fmt.Println"
    code_clear_output = "display.Clear(false)"

    # A pager (the payload of a page) is what ipykernel has for "?"; this kernel inspects instead.
    test_pager = None


if __name__ == "__main__":
    unittest.main(argv=[os.path.basename(__file__)])

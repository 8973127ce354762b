"""History, subshells, input and %restore of the installed kernel, through jupyter_client."""

import os
import pathlib
import re
import sqlite3
import subprocess
import tempfile
import time
import unittest

from jupyter_client.manager import start_new_kernel

ROOT = pathlib.Path(__file__).resolve().parents[2]


def plain(text):
    return re.sub("\x1b\\[[0-9;]*m", "", text)


class Kernel:
    """A running kernel and one client of it."""

    def __init__(self, **env):
        self.km, self.kc = start_new_kernel(kernel_name="godp", env={**os.environ, **env})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kc.stop_channels()
        self.km.shutdown_kernel(now=False)

    def request(self, channel, msg_type, content=None, subshell=None):
        msg = self.kc.session.msg(msg_type, content or {})
        if subshell:
            msg["header"]["subshell_id"] = subshell
        getattr(self.kc, channel + "_channel").send(msg)
        return msg["header"]["msg_id"]

    def reply(self, channel, msg_id, timeout=30):
        end = time.time() + timeout
        while True:
            m = getattr(self.kc, f"get_{channel}_msg")(timeout=max(0.01, end - time.time()))
            if m["parent_header"].get("msg_id") == msg_id:
                return m

    def ask(self, channel, msg_type, content=None, subshell=None):
        return self.reply(channel, self.request(channel, msg_type, content, subshell))["content"]

    def outputs(self, msg_id, timeout=30):
        """All that comes on iopub for a request until it is idle."""
        out, end = [], time.time() + timeout
        while True:
            m = self.kc.get_iopub_msg(timeout=max(0.01, end - time.time()))
            if m["parent_header"].get("msg_id") != msg_id:
                continue
            if m["msg_type"] == "status" and m["content"]["execution_state"] == "idle":
                return out
            out.append(m)

    def run(self, code, subshell=None, timeout=30, **kw):
        """Runs a cell: its reply, and what it printed and showed as text."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True, **kw}
        i = self.request("shell", "execute_request", content, subshell)
        out = self.outputs(i, timeout)
        text = ""
        for m in out:
            c = m["content"]
            text += c.get("text", "") + c.get("data", {}).get("text/plain", "") + "\n".join(c.get("traceback", []))
        return self.reply("shell", i, timeout)["content"], plain(text)


class History(unittest.TestCase):
    def test_across_restarts(self):
        with tempfile.TemporaryDirectory() as d:
            env = {"GODP_HISTORY": os.path.join(d, "h.sqlite")}
            with Kernel(**env) as k:
                k.run("x := 20")
                k.run("x + 1")
                k.run("y := 1", store_history=False)
            with Kernel(**env) as k:
                k.run("later := 5")

                def history(**c):
                    r = k.ask("shell", "history_request", {"raw": True, "output": False, **c})
                    self.assertEqual(r["status"], "ok")
                    return r["history"]

                self.assertEqual(history(hist_access_type="tail", n=10), [[1, 1, "x := 20"], [1, 2, "x + 1"], [2, 1, "later := 5"]])
                self.assertEqual(history(hist_access_type="range", session=-1, start=2, stop=3, output=True), [[1, 2, ["x + 1", "21"]]])
                self.assertEqual(history(hist_access_type="search", pattern="*[+]*", n=5), [])
                self.assertEqual(history(hist_access_type="search", pattern="x*", n=1, unique=True), [[1, 2, "x + 1"]])
                # A restart is a new session.
                k.km.restart_kernel(now=False)
                k.kc.wait_for_ready(timeout=30)
                k.run("again := 1")
                self.assertEqual([h[0] for h in history(hist_access_type="tail", n=2)], [2, 3])
            db = sqlite3.connect(env["GODP_HISTORY"])
            self.assertEqual(db.execute("SELECT num_cmds FROM sessions WHERE end IS NOT NULL").fetchall(), [(2,), (1,), (1,)])

    def test_off(self):
        with tempfile.TemporaryDirectory() as d:
            with Kernel(GODP_HISTORY="off", XDG_DATA_HOME=d) as k:
                k.run("x := 1")
                self.assertEqual(k.ask("shell", "history_request", {"hist_access_type": "tail", "n": 5})["history"], [[1, 1, "x := 1"]])
            self.assertEqual(os.listdir(d), [])

    def test_an_unusable_file_harms_no_cell(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "h.sqlite")
            pathlib.Path(path).write_text("no database " * 1000)
            with Kernel(GODP_HISTORY=path) as k:
                self.assertEqual(k.run("1 + 1")[1], "2")
                self.assertEqual(k.ask("shell", "history_request", {"hist_access_type": "tail", "n": 5})["history"], [[1, 1, "1 + 1"]])


class Subshells(unittest.TestCase):
    def test_a_look_at_a_long_cell(self):
        with Kernel() as k:
            info = k.ask("shell", "kernel_info_request")
            self.assertIn("kernel subshells", info["supported_features"])
            sub = k.ask("control", "create_subshell_request")["subshell_id"]
            self.assertEqual(k.ask("control", "list_subshell_request")["subshell_id"], [sub])
            k.run("type state struct{ Step int; Loss float64 }\nst := &state{}\nlosses := []float64{}")
            long = k.request("shell", "execute_request", {"code": "for {\n\tst.Step++\n\tst.Loss = 1 / float64(st.Step)\n\tlosses = append(losses[:0], st.Loss)\n}", "silent": False})
            while True: # until it runs: a cell of the subshell could be faster and take its number
                m = k.kc.get_iopub_msg(timeout=20)
                if m["msg_type"] == "execute_input" and m["parent_header"]["msg_id"] == long:
                    break
            first = second = 0
            end = time.time() + 20
            while second <= first and time.time() < end:
                first, second = second, int(k.run("st.Step", sub)[1])
            self.assertGreater(second, first, "the look does not see the cell's progress")
            reply, text = k.run('fmt.Println("step", st.Step > 0, st.Loss <= 1)\nlen(losses)', sub)
            self.assertEqual((reply["status"], text), ("ok", "step true true\n1"))
            for t, c in [("complete_request", {"code": "st.", "cursor_pos": 3}), ("inspect_request", {"code": "st", "cursor_pos": 2, "detail_level": 0}), ("comm_info_request", {})]:
                self.assertEqual(k.ask("shell", t, c, sub)["status"], "ok")
            # What is more than a look waits for its turn, and says so.
            waits = k.request("shell", "execute_request", {"code": "losses", "silent": False}, sub)
            while True:
                m = k.kc.get_iopub_msg(timeout=10)
                if m["msg_type"] == "stream" and m["parent_header"]["msg_id"] == waits:
                    break
            self.assertIn("waits until In[2] has ended: losses is a []float64", m["content"]["text"])
            k.ask("control", "interrupt_request")
            self.assertEqual(k.reply("shell", long)["content"]["ename"], "interrupted")
            self.assertEqual(k.reply("shell", waits)["content"]["status"], "ok")
            self.assertEqual(k.ask("control", "delete_subshell_request", {"subshell_id": sub})["status"], "ok")
            self.assertEqual(k.ask("control", "list_subshell_request")["subshell_id"], [])


class Restore(unittest.TestCase):
    def die(self, how):
        with Kernel() as k:
            k.run("type T struct{ A int }\nfunc double(n int) int { return 2 * n }")
            k.run('t := T{21}\nfmt.Println("once")')
            return k, how(k), k.run("%restore"), k.run("double(t.A)")

    def check(self, how, name):
        _, (reply, text), (_, restored), (_, value) = self.die(how)
        self.assertEqual((reply["status"], reply["ename"]), ("error", name), text)
        self.assertIn("re-run from In[1]. %restore replays", text)
        self.assertIn("restored: 1 type, 1 function, 1 variable", restored)
        self.assertIn('In[2]: fmt.Println("once")', restored)
        self.assertEqual(value, "42")

    def test_fatal_error(self):
        self.check(lambda k: k.run("m := map[int]int{}\nfor range 8 {\n\tgo func() {\n\t\tfor i := 0; ; i++ {\n\t\t\tm[i%100] = i\n\t\t}\n\t}()\n}\ntime.Sleep(20 * time.Second)"), "fatal error")

    def test_killed(self):
        def kill(k):
            i = k.request("shell", "execute_request", {"code": "for {}", "silent": False})
            time.sleep(0.3)
            worker = subprocess.run(["pgrep", "-P", str(k.km.provisioner.pid)], capture_output=True, text=True).stdout.split()
            os.kill(int(worker[0]), 9)
            out = k.outputs(i)
            return k.reply("shell", i)["content"], plain("".join("\n".join(m["content"].get("traceback", [])) for m in out))

        self.check(kill, "WorkerExit")

    def test_stack_overflow_and_exit_keep_everything(self):
        with Kernel() as k:
            k.run("x := 5")
            reply, text = k.run("func down(n int) int { return down(n+1) + 1 }\ndown(0)", timeout=100)
            self.assertIn("variables are kept", text)
            self.assertEqual(k.run("x")[1], "5")
            reply, text = k.run("os.Exit(3)")
            self.assertIn("the session goes on", text)
            self.assertEqual(k.run("x")[1], "5")


class Input(unittest.TestCase):
    def typed(self, code, *lines):
        with Kernel() as k:
            i = k.request("shell", "execute_request", {"code": code, "silent": False, "allow_stdin": True})
            asked = []
            for line in lines:
                m = k.kc.get_stdin_msg(timeout=20)
                asked.append((m["content"]["prompt"], m["content"]["password"]))
                k.kc.input(line)
            out = k.outputs(i)
            return asked, "".join(m["content"].get("text", "") for m in out), k.reply("shell", i)["content"]

    def test_scan(self):
        asked, text, reply = self.typed("var a, b int\nn, err := fmt.Scan(&a, &b)\nfmt.Println(a+b, n, err)", "20 22")
        self.assertEqual((asked, text, reply["status"]), ([("", False)], "42 2 <nil>\n", "ok"))

    def test_scanner(self):
        asked, text, reply = self.typed('sc := bufio.NewScanner(os.Stdin)\nfor sc.Scan() && sc.Text() != "" {\n\tfmt.Println(strings.ToUpper(sc.Text()))\n}', "one", "twö", "")
        self.assertEqual((len(asked), text, reply["status"]), (3, "ONE\nTWÖ\n", "ok"))

    def test_helpers(self):
        asked, text, reply = self.typed('name, err := display.Input("name? ")\npw, err2 := display.Password("password? ")\nfmt.Println(name, len(pw), err, err2)', "Ada", "secret")
        self.assertEqual((asked, text), ([("name? ", False), ("password? ", True)], "Ada 6 <nil> <nil>\n"))

    def test_refused(self):
        """With allow_stdin false a cell that reads fails, and says why, whatever it does with the error."""
        for code in ["var n int\nfmt.Scan(&n)", "var n int\n_, err := fmt.Scan(&n)\nfmt.Println(err)", "sc := bufio.NewScanner(os.Stdin)\nsc.Scan()",
                     'display.Input("name? ")', 'pw, err := display.Password("x")\n_, _ = pw, err', "b, _ := io.ReadAll(os.Stdin)\nlen(b)"]:
            with Kernel() as k:
                reply, text = k.run(code)
                self.assertEqual(reply["status"], "error", code + "\n" + text)
                self.assertIn("allow_stdin is false", text, code)
                self.assertEqual(k.run("1 + 1")[1], "2")


class PlainClient(unittest.TestCase):
    """The messages of a client that is not jupyter_client, as editors send them (Visual Studio Code among them): one identity on all channels, dates
    with Z, an empty username, null for what does not apply, ids of cells in the metadata."""

    def test_a_session(self):
        import datetime
        import hashlib
        import hmac
        import json
        import uuid

        import zmq

        with Kernel() as k:
            info = k.km.get_connection_info()
            key, session, ctx = info["key"], str(uuid.uuid4()), zmq.Context()
            self.addCleanup(ctx.destroy, 0)
            sockets = {}
            for name, kind in [("shell", zmq.DEALER), ("control", zmq.DEALER), ("stdin", zmq.DEALER), ("iopub", zmq.SUB)]:
                s = sockets[name] = ctx.socket(kind)
                if kind == zmq.SUB:
                    s.subscribe(b"")
                else:
                    s.identity = session.encode()
                s.connect(f"tcp://127.0.0.1:{info[name + '_port']}")

            def sign(parts):
                h = hmac.new(key, digestmod=hashlib.sha256)
                for p in parts:
                    h.update(p)
                return h.hexdigest().encode()

            def send(channel, msg_type, content, parent=None, **metadata):
                header = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"), "msg_id": str(uuid.uuid4()),
                          "msg_type": msg_type, "session": session, "username": "", "version": "5.2", "subshell_id": None}
                parts = [json.dumps(p).encode() for p in (header, parent or {}, metadata, content)]
                sockets[channel].send_multipart([b"<IDS|MSG>", sign(parts), *parts])
                return header["msg_id"]

            def receive(channel, timeout=20):
                self.assertTrue(sockets[channel].poll(timeout * 1000), f"nothing comes on {channel}")
                frames = sockets[channel].recv_multipart()
                i = frames.index(b"<IDS|MSG>")
                self.assertEqual(frames[i + 1], sign(frames[i + 2 : i + 6]))
                header, parent, _, content = (json.loads(f) for f in frames[i + 2 : i + 6])
                return header, parent, content

            def ask(channel, msg_type, content):
                i = send(channel, msg_type, content)
                while True:
                    header, parent, content = receive(channel)
                    if parent.get("msg_id") == i:
                        self.assertEqual(header["msg_type"], msg_type.replace("_request", "_reply"))
                        return content

            self.assertEqual(ask("shell", "kernel_info_request", {})["language_info"]["mimetype"], "text/x-go")
            self.assertEqual(ask("shell", "comm_info_request", {"target_name": "jupyter.widget"})["comms"], {})
            cell = {"silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": True, "stop_on_error": False}
            i = send("shell", "execute_request", {"code": 'name, err := display.Input("who? ")\nfmt.Println("hello", name)\nlen(name)', **cell}, cellId="vscode-notebook-cell:/x.ipynb#W0sZmlsZQ==")
            header, parent, content = receive("stdin")
            self.assertEqual((parent["msg_id"], content), (i, {"prompt": "who? ", "password": False}))
            send("stdin", "input_reply", {"value": "Ada", "status": "ok"}, parent=header)
            seen = []
            while not seen or seen[-1] != ("status", "idle"):
                header, parent, content = receive("iopub")
                if parent.get("msg_id") == i:
                    self.assertIsNone(parent["subshell_id"])
                    seen.append((header["msg_type"], content.get("execution_state") or content.get("text") or content.get("data", {}).get("text/plain")))
            self.assertEqual(seen, [("status", "busy"), ("execute_input", None), ("stream", "hello Ada\n"), ("execute_result", "3"), ("status", "idle")])
            self.assertEqual(receive("shell")[2]["status"], "ok")
            got = ask("shell", "complete_request", {"code": "strings.ToUp", "cursor_pos": 12})
            self.assertEqual((got["matches"][0], got["cursor_start"], got["cursor_end"]), ("ToUpper", 8, 12))
            self.assertIn("func fmt.Println(a ...any)", ask("shell", "inspect_request", {"code": "fmt.Println", "cursor_pos": 11, "detail_level": 0})["data"]["text/plain"])
            i = send("shell", "execute_request", {"code": "for {}", **cell})
            time.sleep(0.3)
            self.assertEqual(ask("control", "interrupt_request", {}), {"status": "ok"})
            self.assertEqual(receive("shell")[2]["ename"], "interrupted")
            self.assertEqual(ask("control", "shutdown_request", {"restart": False}), {"status": "ok", "restart": False})


if __name__ == "__main__":
    unittest.main()

// Makes a table sortable and lets it turn its pages. The table is complete without it.
// all: the rows that can be turned to, null for those in the table; size: rows of a page; total: rows of the whole value.
(function(script, all, size, total) {
	var box = script && script.parentElement, table = box && box.querySelector("table");
	if (!table || box.getAttribute("data-live")) return;
	box.setAttribute("data-live", "1");
	var heads = [].slice.call(table.tHead.rows[0].cells), body = table.tBodies[0], note = box.querySelector("p");
	var rows = all || [].map.call(body.rows, function(r) { return [].map.call(r.cells, function(c) { return c.textContent; }); });
	var order = rows.map(function(_, i) { return i; }), by = -1, down = false, page = 0, where;
	function number(s) {
		s = s.replace("Inf", "Infinity");
		return s === "" ? NaN : Number(s);
	}
	function sort() {
		order = rows.map(function(_, i) { return i; });
		if (by < 0) return;
		var numeric = rows.every(function(r) { return r[by] === "" || r[by] === "NaN" || !isNaN(number(r[by])); });
		order.sort(function(a, b) {
			var x = rows[a][by], y = rows[b][by], d;
			if (numeric) {
				x = number(x);
				y = number(y);
				// What is no number stands last, whichever way the others go.
				if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y) || a - b;
				d = x < y ? -1 : x > y ? 1 : 0;
			} else d = x.localeCompare(y, undefined, {numeric: true});
			return (down ? -d : d) || a - b;
		});
	}
	function draw() {
		var first = page * size, last = Math.min(first + size, rows.length);
		body.textContent = "";
		order.slice(first, last).forEach(function(i) {
			var tr = body.insertRow();
			rows[i].forEach(function(text, j) {
				var c = document.createElement(j ? "td" : "th");
				c.style.textAlign = heads[j].style.textAlign;
				c.textContent = text;
				tr.appendChild(c);
			});
		});
		heads.forEach(function(h, j) {
			if (j === by) h.setAttribute("aria-sort", down ? "descending" : "ascending");
			else h.removeAttribute("aria-sort");
			h.lastChild.textContent = j === by ? (down ? " \u25bc" : " \u25b2") : "";
		});
		if (where) where.textContent = " rows " + (first + 1) + " to " + last + " of " + rows.length + (total > rows.length ? " (the first of " + total + ")" : "") + " ";
	}
	heads.forEach(function(h, j) {
		h.appendChild(document.createElement("span"));
		h.style.cursor = "pointer";
		h.title = "sort";
		h.tabIndex = 0;
		function click() {
			if (by !== j) {
				by = j;
				down = false;
			} else if (!down) down = true;
			else by = -1;
			page = 0;
			sort();
			draw();
		}
		h.addEventListener("click", click);
		h.addEventListener("keydown", function(e) {
			if (e.key === "Enter") {
				click();
				e.stopPropagation();
			}
		});
	});
	if (rows.length > size) {
		note = note || box.appendChild(document.createElement("p"));
		note.textContent = "";
		var button = function(text, title, turn) {
			var b = note.appendChild(document.createElement("button"));
			b.type = "button";
			b.textContent = text;
			b.title = title;
			b.style.cssText = "font:inherit;color:inherit;background:none;border:1px solid #8888;border-radius:3px;padding:0 .6em;margin-right:.3em;cursor:pointer";
			b.addEventListener("click", function() {
				page = Math.max(0, Math.min(Math.ceil(rows.length / size) - 1, turn(page)));
				draw();
			});
		};
		button("\u00ab", "first page", function() { return 0; });
		button("\u2039", "page before", function(p) { return p - 1; });
		where = note.appendChild(document.createElement("span"));
		button("\u203a", "next page", function(p) { return p + 1; });
		button("\u00bb", "last page", function() { return 1e9; });
		draw();
	}
})

/* SPDX-License-Identifier: Apache-2.0
   What scripts add to the page: plots of the tables, and tables that sort. A plot shows the columns of the
   table that follows it, so a figure is in the page once. */
"use strict";
(() => {
	const root = document.documentElement;
	const number = cell => {
		const text = cell ? cell.textContent.replace(/^~/, "") : "";
		const value = parseFloat(text);
		return Number.isFinite(value) ? value : null;
	};
	const colour = name => getComputedStyle(root).getPropertyValue(name).trim();

	/* The table that PLOT is of: the first behind it. */
	function tableOf(plot) {
		for (let e = plot.nextElementSibling; e; e = e.nextElementSibling) {
			const table = e.matches("table") ? e : e.querySelector("table");
			if (table)
				return table;
		}
		return null;
	}

	/* Its columns as uPlot takes them, in the order of the first. */
	function columns(table, x, ys) {
		const rows = [...table.tBodies[0].rows]
			.map(row => [x, ...ys].map(i => number(row.cells[i])))
			.filter(row => row[0] !== null)
			.sort((a, b) => a[0] - b[0]);
		return [0, ...ys.map((_, i) => i + 1)].map(i => rows.map(row => row[i]));
	}

	/* A logarithmic axis with less than this from end to end has hardly a number on it. */
	const NARROW = 8;
	const heads = table => [...table.tHead.rows[0].cells].map(cell => cell.textContent);
	const short = value => value === null || value === undefined ? "" : String(+value.toPrecision(4));

	/* What the rates of the device allow at each intensity, for as many threads as most kernels have: one, or all. */
	function roofs(data, table) {
		const rates = [...document.querySelectorAll("table.rates tbody tr")];
		const threads = [...table.tBodies[0].rows].map(row => number(row.cells[5]));
		/* of a simulated device there is one rate, whatever its virtual threads */
		const simulated = rates[0]?.cells.length < 4;
		const column = !simulated && threads.filter(n => n > 1).length * 2 > threads.length ? 2 : 1;
		const rate = i => rates[i] ? number(rates[i].cells[column]) : null;
		const peak = rate(0), [low, high] = [Math.min(...data[0]) / 2, Math.max(...data[0]) * 2];
		const xs = new Set(data[0]);
		for (let i = 0; i <= 600; i++)
			xs.add(low * (high / low) ** (i / 600));
		const sorted = [...xs].sort((a, b) => a - b), at = new Map(sorted.map((x, i) => [x, i]));
		const points = [];
		data[0].forEach((x, i) => {
			const k = at.get(x);
			/* several kernels at one intensity: the next free place, which is as near as one sees */
			let place = k;
			while (points[place] !== undefined && place + 1 < sorted.length)
				place++;
			points[place] = data[1][i];
		});
		const lines = rates.slice(1).map((_, i) =>
			sorted.map(x => rate(i + 1) === null ? null : Math.min(peak, x * rate(i + 1))));
		return { data: [sorted, sorted.map((_, i) => points[i] ?? null), ...lines],
			names: ["kernels", ...rates.slice(1).map(row => row.cells[0].textContent.replace("reading ", ""))],
			title: simulated ? "" : "rates of " + (column === 1 ? "one thread" : "all threads") };
	}

	function series(name, i, kind) {
		const stroke = colour("--plot-" + (i % 4 + 1));
		const points = kind === "points" || (kind === "roofline" && i === 0);
		return { label: name, stroke, width: points ? 0 : 2, value: (_, v) => short(v),
			spanGaps: true,
			paths: points ? () => null : kind === "steps" ? uPlot.paths.stepped({ align: 1 }) : undefined,
			dash: kind === "roofline" && i > 0 ? [6, 4] : undefined,
			points: { show: points || kind === "steps", size: points ? 8 : 5, fill: stroke } };
	}

	function draw(plot) {
		const table = tableOf(plot);
		if (!table || !plot.clientWidth)
			return;
		const kind = plot.dataset.kind, x = +plot.dataset.x, ys = plot.dataset.y.split(",").map(Number);
		let data = columns(table, x, ys), names = ys.map(i => heads(table)[i]), title;
		if (!data[0].length)
			return;
		if (kind === "roofline") {
			const roof = roofs(data, table);
			[data, names, title] = [roof.data, roof.names, roof.title];
		}
		const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 },
			ticks: { stroke: colour("--line") }, font: "12px sans-serif",
			values: (_, splits) => splits.map(v => v === null ? "" : short(v)) };
		const scale = (way, values) => {
			const known = values.filter(v => v > 0), [low, high] = [Math.min(...known), Math.max(...known)];
			if (!plot.dataset.log.includes(way) || !known.length || high / low < NARROW)
				return { time: false };
			if (kind !== "points")
				return { time: false, distr: 3, log: 10, range: [low / 1.1, high * 1.1] };
			/* sizes are powers of 2, or beside one */
			return { time: false, distr: 3, log: 2, range: [2 ** Math.floor(Math.log2(low / 1.05)),
				2 ** Math.ceil(Math.log2(high * 1.05))] };
		};
		plot.replaceChildren();
		new uPlot({
			width: plot.clientWidth, height: plot.clientHeight - (names.length > 1 || kind ? 34 : 0),
			scales: { x: scale("x", data[0]), y: scale("y", data.slice(1).flat()) },
			axes: [{ ...axis, label: heads(table)[x] + (title ? " (" + title + ")" : ""),
				labelSize: 18, labelFont: "12px sans-serif", size: 34 },
				{ ...axis, size: (_, values) => 26 + 7 * Math.max(3, ...(values ?? []).map(v => v.length)) }],
			series: [{ label: heads(table)[x], value: (_, v) => short(v) },
				...names.map((name, i) => series(name, i, kind))],
			cursor: { drag: { x: true, y: false } },
		}, data, plot);
		plot.drawn = plot.clientWidth;
	}

	/* Plots are drawn when they come into sight, and anew where their width or the colours have changed. */
	let plots = [];
	const seen = new IntersectionObserver(entries => entries.forEach(e => {
		if (e.isIntersecting && e.target.drawn !== e.target.clientWidth)
			draw(e.target);
	}), { rootMargin: "300px" });
	const again = () => plots.forEach(plot => {
		plot.drawn = undefined;
		plot.replaceChildren();
		seen.unobserve(plot);
		seen.observe(plot);
	});

	/* Which column each table goes by, so that it does so in a page that was filled anew. */
	const order = new Map();
	const nameOf = table => table.closest("section")?.id + " " +
		[...table.closest("section")?.querySelectorAll("table") ?? []].indexOf(table);

	function sort(table, head, up) {
		const i = head.cellIndex, numbers = head.classList.contains("n");
		const key = row => numbers ? number(row.cells[i]) ?? -Infinity : row.cells[i].textContent;
		const rows = [...table.tBodies[0].rows].sort((a, b) => {
			const [p, q] = [key(a), key(b)];
			return (p < q ? -1 : p > q ? 1 : 0) * (up ? 1 : -1);
		});
		[...head.parentNode.cells].forEach(cell => cell.ariaSort = null);
		head.ariaSort = up ? "ascending" : "descending";
		order.set(nameOf(table), { i, up });
		table.tBodies[0].append(...rows);
	}

	/* On a click the rows go by that column: numbers from the greatest on, then the other way. */
	function clicked(table, head) {
		sort(table, head, head.ariaSort ? head.ariaSort === "descending" : !head.classList.contains("n"));
	}

	/* Takes hold of what is in the page now. */
	function begin() {
		seen.disconnect();
		plots = [...document.querySelectorAll(".plot")];
		plots.forEach(plot => seen.observe(plot));
		document.querySelectorAll("table.sortable").forEach(table => {
			const by = order.get(nameOf(table));
			table.classList.add("live");
			if (by)
				sort(table, table.tHead.rows[0].cells[by.i], by.up);
			table.tHead.addEventListener("click", e => {
				const head = e.target.closest("th");
				if (head)
					clicked(table, head);
			});
		});
	}

	root.classList.add("live");
	begin();
	/* who has put other contents into the page says so */
	addEventListener("hone-report", begin);
	let waiting;
	addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(again, 200); });
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
	addEventListener("beforeprint", () => {
		document.querySelectorAll("details:not(:has(pre))").forEach(d => d.open = true);
		plots.forEach(draw);
	});
})();

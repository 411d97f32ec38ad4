/* SPDX-License-Identifier: Apache-2.0
   What hone status --serve adds to the page of a report: a line at its foot that says where the campaign stands,
   and the page's contents filled anew when there is another report. All of it comes from the server that the page
   is from, and is put into the page as text, but for its own markup. */
"use strict";
(() => {
	const token = encodeURIComponent(new URLSearchParams(location.search).get("token") ?? "");
	const line = document.getElementById("live");
	let version = document.getElementById("live-script").dataset.version, held = false, newest = version;

	const put = (name, tag = "span") => {
		const e = document.createElement(tag);
		e.className = name;
		line.append(e);
		return e;
	};
	const state = put("state"), progress = put("progress", "progress"), trials = put("trials"),
		left = put("left"), latency = put("latency"), seen = put("seen"), hold = put("hold", "button");

	const duration = s => s < 100 ? s.toFixed(0) + " s" : s < 6000 ? (s / 60).toFixed(0) + " min"
		: (s / 3600).toFixed(1) + " h";
	const time = us => us < 1000 ? +us.toPrecision(4) + " µs" : +(us / 1000).toPrecision(4) + " ms";

	/* The part of its budget that a campaign has spent; null where it has none. */
	function spent(detail) {
		const parts = [];
		if (detail.budget.trials)
			parts.push(detail.trials / detail.budget.trials);
		if (detail.budget.minutes && detail.seconds !== null)
			parts.push(detail.seconds / (60 * detail.budget.minutes));
		return parts.length ? Math.min(1, Math.max(...parts)) : null;
	}

	/* The newest campaign at work, else the newest. */
	function chosen(campaigns) {
		const full = campaigns.filter(c => c.detail);
		return full.filter(c => c.alive).pop() ?? full.pop();
	}

	function show(status) {
		const c = chosen(status.campaigns);
		line.className = c?.alive ? "running" : "";
		state.textContent = c ? `${c.source}: ${c.state}` : "no campaign yet";
		seen.textContent = "as of " + new Date(1000 * status.time).toLocaleTimeString();
		if (!c)
			return;
		const d = c.detail, part = spent(d);
		progress.hidden = part === null;
		progress.value = part ?? 0;
		trials.textContent = `${d.trials}${d.budget.trials ? " of " + d.budget.trials : ""} trials, ${d.failed} failed`;
		left.textContent = d.seconds_left === null ? "" : `about ${duration(d.seconds_left)} left`;
		latency.textContent = d.latency_us === null ? "" : `${time(d.latency_us)} in all`;
	}

	/* --- the report */

	/* What is open, by its section and its place there. */
	const places = main => [...main.querySelectorAll("section")].flatMap(section =>
		[...section.querySelectorAll("details")].map((d, i) => [section.id + " " + i, d]));

	/* What one reads stays where it is: the last section that begins above, by how far. */
	function anchor() {
		const above = [...document.querySelectorAll("section")]
			.filter(s => s.getBoundingClientRect().top <= 80).pop();
		return above && { id: above.id, top: above.getBoundingClientRect().top };
	}

	function fill(main) {
		const old = document.querySelector("main"), at = anchor();
		const open = new Set(places(old).filter(([, d]) => d.open).map(([name]) => name));
		places(main).forEach(([name, d]) => { d.open = open.has(name); });
		old.replaceWith(main);
		dispatchEvent(new Event("hone-report"));
		const now = at && document.getElementById(at.id);
		if (now)
			scrollBy({ top: now.getBoundingClientRect().top - at.top, behavior: "instant" });
	}

	let fetching = false;
	async function renew() {
		if (fetching || held || newest === version)
			return;
		if (document.querySelector("main[data-waiting]")) {
			location.reload();
			return;
		}
		fetching = true;
		try {
			const answer = await fetch("/?token=" + token);
			if (!answer.ok)
				return;
			const text = await answer.text(), end = text.indexOf("</main>");
			version = text.slice(end).match(/data-version=(\d+)/)[1];
			/* its styles are there already; in the policy of this page they are of another */
			const page = new DOMParser().parseFromString(text.slice(text.indexOf("<main"), end), "text/html");
			const main = page.querySelector("main");
			/* there is nothing to fill in where the report has failed */
			if (main && !main.hasAttribute("data-waiting"))
				fill(document.importNode(main, true));
		} catch {
			/* the events say that the connection is lost, and when it is there again */
		} finally {
			fetching = false;
		}
	}

	hold.type = "button";
	const label = () => { hold.textContent = held ? "follow" : "hold still"; };
	hold.addEventListener("click", () => { held = !held; label(); renew(); });
	label();

	const events = new EventSource("/events?token=" + token);
	events.addEventListener("status", e => show(JSON.parse(e.data)));
	events.addEventListener("report", e => { newest = String(JSON.parse(e.data).version); renew(); });
	events.addEventListener("error", () => {
		line.className = "lost";
		seen.textContent = events.readyState === EventSource.CLOSED ? "no longer served: load the page again"
			: "the connection is lost; trying again";
	});
})();

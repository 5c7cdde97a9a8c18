// app.tsx -- the page: views, metric and filters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { old_values } from "./compare.ts";
import { type Shared, SharedContext, useShared } from "./context.ts";
import { variances } from "./errors.ts";
import { choice_of, of_moment, said_choice } from "./moments.ts";
import {
  hiding,
  LazyChosen,
  LazyFigures,
  matching,
  metric_named,
  metrics_to_show,
  type Profile,
  sum,
  values,
} from "./profile.ts";
import { fragment_of, parse, pattern_of, type State } from "./state.ts";
import { has_thread, of_thread, thread_names } from "./threads.ts";
import { ChangedGroups } from "./views/changed_groups.tsx";
import { ChangedStacks } from "./views/changed_stacks.tsx";
import { ChangedSummary, compared_title } from "./views/changed_summary.tsx";
import { Choice } from "./views/choice.tsx";
import { Flame } from "./views/flame.tsx";
import { Groups } from "./views/groups.tsx";
import { MomentChoice } from "./views/moment.tsx";
import { Nothing } from "./views/nothing.tsx";
import { Site } from "./views/site.tsx";
import { Stacks } from "./views/stacks.tsx";
import { Summary, title_of } from "./views/summary.tsx";
import { Timeline } from "./views/timeline.tsx";
import { Tree } from "./views/tree.tsx";
import { Types } from "./views/types.tsx";
import { FocusTip } from "./views/whole.tsx";

type View = [string, string, () => preact.JSX.Element];

const VIEWS: View[] = [
  ["summary", "Summary", Summary],
  ["flame", "Flame graph", Flame],
  ["tree", "Tree", Tree],
  ["groups", "Functions, lines, files, types", Groups],
  ["stacks", "Call stacks", Stacks],
  ["types", "Members", Types],
  ["time", "Over time", Timeline],
];

/** The views of two profiles. */
const COMPARED: View[] = [
  ["summary", "Summary", ChangedSummary],
  ["flame", "Flame graph", Flame],
  ["tree", "Tree", Tree],
  ["groups", "Functions, lines, files, types", ChangedGroups],
  ["stacks", "Call stacks", ChangedStacks],
];
/** Returns the views for which the profile has data. */
function views_of(profile: Profile): View[] {
  if (profile.document.compared !== undefined) return COMPARED;
  const { series, types } = profile.document;
  return VIEWS.filter(
    ([name]) => (name !== "time" || series.length > 0) && (name !== "types" || types !== undefined),
  );
}

function usePlace(): [State, (change: Partial<State>) => void] {
  const [state, setState] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => setState(parse(location.hash));
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  const go = (change: Partial<State>) => {
    const next = { ...parse(location.hash), ...change };
    const [only, ...others] = Object.keys(change);
    const is_typing =
      ["filter", "ignore", "hide", "moment"].includes(only ?? "") && others.length === 0;
    history[is_typing ? "replaceState" : "pushState"](null, "", `#${fragment_of(next)}`);
    setState(next);
  };
  return [state, go];
}

/** An input field for a regular expression. */
function Pattern(props: { type: string; label: string; name: "filter" | "ignore" | "hide" }) {
  const { profile, state, go } = useShared();
  const source = state[props.name];
  const { pattern, error } = useMemo(() => pattern_of(source), [source]);
  const matches = useMemo(() => matching(profile, pattern).includes(1), [profile, pattern]);
  return (
    <label class="pattern">
      {props.label}{" "}
      <input
        type={props.type}
        placeholder="function, file or type (regular expression)"
        value={source}
        aria-invalid={error !== undefined}
        onInput={(event) => go({ [props.name]: event.currentTarget.value })}
      />
      {error !== undefined && (
        <span role="alert" class="error">
          {error}
        </span>
      )}
      {pattern !== undefined && !matches && <output class="hint">matches nothing</output>}
    </label>
  );
}

function Controls({ shared }: { shared: Shared }) {
  const { profile, state, metric, go } = shared;
  const threads = useMemo(() => thread_names(profile), [profile]);
  return (
    <div class="controls">
      <label>
        Show{" "}
        <select
          value={metric.name}
          onChange={(event) => go({ metric: event.currentTarget.value, sort: "" })}
        >
          {metrics_to_show(profile, metric).map((m) => (
            <option key={m.name} value={m.name}>
              {m.title}
            </option>
          ))}
        </select>
      </label>
      <Pattern type="search" label="Only stacks with" name="filter" />
      {threads.length > 0 && (
        <Choice
          label="Thread"
          value={threads.includes(state.thread) ? state.thread : ""}
          of={[["", "all"], ...threads.map((name): [string, string] => [name, name])]}
          set={(thread) => go({ thread, root: "" })}
        />
      )}
      <label title="Functions that only allocate for their callers, such as xmalloc and those of the C++ library, and what runs before main(). While wrappers are hidden, their callers have what they allocate.">
        <input
          type="checkbox"
          checked={state.frames === "all"}
          onChange={(event) => go({ frames: event.currentTarget.checked ? "all" : "", root: "" })}
        />{" "}
        Wrappers and start-up
      </label>
      <details class="patterns" open={state.ignore !== "" || state.hide !== ""}>
        <summary>More filters</summary>
        <Pattern type="text" label="No stacks with" name="ignore" />
        <Pattern type="text" label="Hide frames of" name="hide" />
      </details>
    </div>
  );
}

function useSystemTheme(): string {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [is_dark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, [query]);
  return is_dark ? "dark" : "light";
}

function ThemeButton() {
  const system = useSystemTheme();
  const [chosen, setChosen] = useState<string>();
  const other = (chosen ?? system) === "dark" ? "light" : "dark";
  const choose = () => {
    document.documentElement.dataset.theme = other;
    setChosen(other);
  };
  return (
    <button type="button" class="theme" onClick={choose}>
      {other === "dark" ? "Dark" : "Light"}
    </button>
  );
}

function TheApp({ whole: all, state, go }: Pick<Shared, "state" | "go"> & { whole: Profile }) {
  const of_threads = useMemo(() => of_thread(all, state.thread), [all, state.thread]);
  const shown = useMemo(
    () => hiding(of_threads, state.frames === "all", pattern_of(state.hide).pattern),
    [of_threads, state.frames, state.hide],
  );
  const moment = choice_of(all.document, state.moment);
  const profile = useMemo(() => of_moment(shown, moment), [shown, moment?.after, moment?.at]);
  const { pattern } = useMemo(() => pattern_of(state.filter), [state.filter]);
  const metric = metric_named(profile, state.metric);
  const chosen = useMemo(() => {
    const unwanted = pattern_of(state.ignore).pattern;
    let fitting = matching(profile, pattern);
    if (unwanted !== undefined) {
      const left_out = matching(profile, unwanted);
      fitting = fitting.map((is_chosen, c) => (left_out[c] ? 0 : is_chosen));
    }
    if (of_threads === all) return fitting;
    const own = has_thread(all, state.thread);
    return fitting.map((is_chosen, c) => is_chosen & (own[c] as number));
  }, [profile, pattern, state.ignore, of_threads, all, state.thread]);
  const stacks = useMemo(() => new LazyChosen(profile, chosen), [profile, chosen]);
  const by_context = useMemo(() => values(profile, metric, chosen), [profile, metric, chosen]);
  const figures = useMemo(() => new LazyFigures(profile, by_context), [profile, by_context]);
  const before = useMemo(() => {
    const { compared } = profile.document;
    if (compared === undefined) return undefined;
    return new LazyFigures(profile, old_values(compared, metric, chosen));
  }, [profile, metric, chosen]);
  const variance = useMemo(() => variances(profile, metric, chosen), [profile, metric, chosen]);
  const whole = useMemo(() => sum(by_context), [by_context]);
  const shared = useMemo(
    () => ({
      profile,
      state,
      metric,
      by_context,
      figures,
      whole,
      chosen,
      stacks,
      before,
      variance,
      pattern,
      go,
    }),
    [profile, state, metric, by_context, figures, whole, chosen, stacks, before, variance, pattern],
  );
  // Compute what the flame graph needs before it is opened.
  useEffect(() => {
    const timer = setTimeout(() => [figures.totals, stacks.through]);
    return () => clearTimeout(timer);
  }, []);
  const { compared, runs } = profile.document;
  const views = views_of(profile);
  const [first] = views as [View];
  const [, , Shown] =
    state.view === "site" ? ["", "", Site] : (views.find(([name]) => name === state.view) ?? first);
  const of_runs = compared === undefined ? title_of(runs) : compared_title(compared);
  const of_blocks = of_threads === all ? of_runs : `${of_runs}, thread ${state.thread}`;
  const title =
    moment === undefined ? of_blocks : `${of_blocks}, ${said_choice(all.document, moment)}`;
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);

  return (
    <SharedContext.Provider value={shared}>
      <header>
        <h1>{title}</h1>
        <ThemeButton />
        <nav aria-label="Views">
          {views.map(([name, label]) => (
            <a
              key={name}
              href={`#${fragment_of({ ...state, view: name, site: "", type: "", sort: "" })}`}
              {...(name === state.view || (name === "stacks" && state.view === "site")
                ? { "aria-current": "page" as const }
                : {})}
            >
              <span data-label={label}>{label}</span>
            </a>
          ))}
        </nav>
        {!["time", "types"].includes(state.view) && <Controls shared={shared} />}
        <MomentChoice />
      </header>
      <main>
        <Nothing />
        <Shown />
      </main>
      <FocusTip />
    </SharedContext.Provider>
  );
}

export function App({ profile }: { profile: Profile }) {
  const [state, go] = usePlace();
  return <TheApp whole={profile} state={state} go={go} />;
}

import { useEffect, useState } from 'preact/hooks';
import type { Action } from '../../components/copy.js';
import type { Diagnostic, KeptText } from '../../components/editor/editor-props.js';
import type { Graph } from '../../components/journey-graph/graph-data.js';
import { quoted } from '../../components/shell-words.js';
import { admin, reasonOf } from '../../data/admin.js';
import { useQuery } from '../../data/query.js';
import type { Finding, Journey } from './records.js';
import { texts } from './texts.js';

const TYPING_MS = 400;

interface Stored {
  readonly journey: Journey;
  readonly definition: object;
  readonly notebook?: string;
}

/** Texts that were changed and not saved, by journey, so that they outlast a visit of another page. */
const unsaved = new Map<string, { readonly draft: string; readonly text: string }>();
/** The steps that can be undone, by journey. */
const steps = new Map<string, KeptText>();
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** The draft of a journey in the editor, with the problems and the graph of its text. */
export function useDraft(uuid: string) {
  const stored = useQuery<Stored>(`/journeys/${uuid}`, ['journey.changed', 'state.']);
  const { journey, definition, notebook } = stored.data ?? {};
  const language: 'json' | 'notebook' = notebook === undefined ? 'json' : 'notebook';
  const saved = notebook ?? (definition && JSON.stringify(definition, null, 2));
  const [, render] = useState(0);
  const changed = unsaved.get(uuid);
  const text = changed?.text ?? saved;
  const [checked, setChecked] = useState<{ readonly text: string; readonly problems: readonly Finding[] }>();
  const [graph, setGraph] = useState<Graph>();
  const [error, setError] = useState<string>();

  useEffect(() => {
    if (text === undefined) return;
    const abort = new AbortController();
    const payload = language === 'json' ? { json: text } : { notebook: text };
    const check = async (): Promise<void> => {
      try {
        const { problems } = await admin<{ problems: readonly Finding[] }>('POST', `/journeys/${uuid}/problems`, payload, abort.signal);
        setChecked({ text, problems });
        const drawn = await admin<{ graph: Graph | null }>('POST', `/journeys/${uuid}/graph`, payload, abort.signal);
        // A text with errors has no graph: the previous one stays.
        if (drawn.graph) setGraph(drawn.graph);
        setError(undefined);
      } catch (failure) {
        if (!abort.signal.aborted) setError(reasonOf(failure));
      }
    };
    const timer = setTimeout(() => void check(), checked ? TYPING_MS : 0);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, language]);

  const set = (value: string | undefined): void => {
    if (value === undefined || value === saved) unsaved.delete(uuid);
    else unsaved.set(uuid, { draft: changed?.draft ?? journey!.draft, text: value });
    render((n) => n + 1);
  };
  const kept = steps.get(uuid) ?? {};
  steps.set(uuid, kept);
  const problems = checked?.text === text ? checked?.problems : undefined;
  return {
    journey,
    text,
    language,
    graph,
    kept,
    /** Undefined while the text is being checked. */
    problems,
    isChanged: changed !== undefined,
    /** Whether the stored draft has changed since the text was changed here. */
    isOutdated: changed !== undefined && changed.draft !== journey?.draft,
    /** Why a call failed. */
    error: stored.error?.message ?? error,
    status: stored.error?.status,
    reload: stored.reload,
    set,
  };
}

export type Draft = ReturnType<typeof useDraft>;

/**
 * The call that saves the text; undefined for a definition that is not JSON. `replaces` makes the platform refuse to replace a draft that
 * this page does not know yet.
 */
export function saving({ journey, text = '', language }: Draft): Action | undefined {
  const { uuid, name, triggers, draft: replaces } = journey!;
  if (language === 'notebook')
    return {
      method: 'PUT',
      path: `/journeys/${uuid}/notebook?replaces=${replaces}`,
      payload: { notebook: text },
      command: `posthorn journey push FILE --name ${quoted(name)}`,
    };
  try {
    return { method: 'PUT', path: `/journeys/${uuid}`, payload: { definition: JSON.parse(text) as object, triggers, replaces } };
  } catch {
    return undefined;
  }
}

/** Findings as the editor shows them. Those about notebooks count code points; the editor counts UTF-16 units. */
export function diagnosticsOf({ text = '', problems, language }: Draft): readonly Diagnostic[] | undefined {
  const lines = language === 'notebook' ? text.split('\n') : [];
  const placed = ({ line, column }: { readonly line: number; readonly column: number }) => ({
    line,
    column: [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length + 1 || column,
  });
  const at = language === 'notebook' ? placed : (place: { line: number; column: number }) => place;
  return problems?.map(({ line, column, end, severity, message, fix, nearest }) => ({
    ...at({ line, column }),
    end: at(end),
    severity,
    message: fix === undefined ? message : `${message}. ${fix}`,
    ...(nearest !== undefined && { fix: { label: texts.changeTo(nearest), insert: nearest } }),
  }));
}

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Editor } from '../../components/editor/editor.js';
import type { Completions, EditorControls, TextPosition } from '../../components/editor/editor-props.js';
import { nodeAt } from '../../components/journey-graph/graph-data.js';
import { JourneyGraph } from '../../components/journey-graph/journey-graph.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Status } from '../../components/status.js';
import { admin } from '../../data/admin.js';
import { useFoundLine, wholeLine } from '../../data/found-words.js';
import { visits } from '../../data/visits.js';
import { useCanvas } from './canvas.js';
import { type Draft, diagnosticsOf } from './draft.js';
import { texts } from './texts.js';

const CardEditor = lazyPart(() => import('./card-editor.js'));

const WIDE = '(min-width: 1200px)';

interface Props {
  readonly draft: Draft;
  /** Where the cursor goes when the editor is shown. */
  readonly goTo: { current: TextPosition | undefined };
  readonly card: string | undefined;
  readonly show: (tab: string, card?: string) => void;
}

/** The editor, with the graph of its text beside it on wide pages: a click on a card goes to its text, and the cursor marks its card. */
export function TextTab({ draft, goTo, card, show }: Props) {
  const { text = '', language, graph, problems, kept, set } = draft;
  const diagnostics = useMemo(() => diagnosticsOf(draft), [problems]);
  const controls = useRef<EditorControls>();
  const canvas = useCanvas(draft, controls as { readonly current: EditorControls | undefined });
  const [isWide, setWide] = useState(matchMedia(WIDE).matches);
  const [isEditing, setEditing] = useState(false);
  const canEdit = language === 'notebook';
  const line = useFoundLine();
  const visit = visits.value;
  useEffect(() => {
    if (line) controls.current?.goTo(...wholeLine(line));
  }, [line, visit]);
  useEffect(() => {
    const query = matchMedia(WIDE);
    const change = (): void => setWide(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return (
    <div class={isWide ? 'journey-text wide' : 'journey-text'}>
      <div class="journey-editor">
        <div class="editor-place">
          <Editor
            value={text}
            kept={kept}
            language={language}
            label={language === 'notebook' ? texts.notebook : texts.definitionAsJson}
            diagnostics={diagnostics}
            onChange={set}
            onCursor={({ line }) => {
              const id = graph && nodeAt(graph, line)?.id;
              if (id !== undefined && id !== card) show('text', id);
            }}
            controls={(shown) => {
              controls.current = shown;
              if (shown && goTo.current) shown.goTo(goTo.current);
              else if (shown && line) shown.goTo(...wholeLine(line));
              if (shown) goTo.current = undefined;
            }}
            complete={(written, offset) => admin<Completions>('POST', '/notebooks/completions', { [language]: written, offset })}
          />
        </div>
        {/* The editor lists the problems itself. */}
        <p class="quiet">
          {problems === undefined ? texts.checking : problems.length === 0 ? <Status tone="ok">{texts.noProblems}</Status> : ''}
        </p>
      </div>
      {isWide && graph && (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys for what has the focus in it
        <div class="graph-and-card" onKeyDown={canEdit ? canvas.keys : undefined}>
          <JourneyGraph
            graph={graph}
            label={texts.graphOfText}
            selected={card}
            onSelect={({ id, places: [place] }) => {
              show('text', id);
              if (place) controls.current?.goTo({ line: place.line, column: place.column });
            }}
            onConnect={canEdit ? (from, option, to) => void canvas.connect(from.id, option, to.id) : undefined}
          />
          {canEdit && graph.nodes.some(({ id }) => id === card) && (
            <details class="journey-card" onToggle={({ currentTarget }) => setEditing(currentTarget.open)}>
              <summary>{texts.editCard(card)}</summary>
              {isEditing && (
                <CardEditor canvas={canvas} card={card!} cards={graph.nodes.map(({ id }) => id)} select={(id) => show('text', id)} />
              )}
            </details>
          )}
        </div>
      )}
    </div>
  );
}

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useFoundWords } from '../data/found-words.js';
import { texts } from './attempt-texts.js';

/** Entries of one object or array that are shown at first; a button shows more. */
const PAGE = 100;
/** Deeper values are closed at first. */
const OPEN_DEPTH = 3;
const MAX_DEPTH = 100;
/** Longer texts are cut; a button shows the rest. */
const MAX_TEXT = 2_000;

/**
 * A JSON value as a tree. Every text is shown as text, never as HTML.
 * @param openDepth values up to this depth are open at first; all are, where a search led to one of them
 */
export function JsonView({ value, label, openDepth = OPEN_DEPTH }: { value: unknown; label: string; openDepth?: number }) {
  const isSearched = useFoundWords().length > 0;
  return (
    <section class="json" aria-label={label}>
      <Value value={value} depth={0} openDepth={isSearched ? MAX_DEPTH : openDepth} />
    </section>
  );
}

function Value({ value, depth, openDepth }: { value: unknown; depth: number; openDepth: number }): ComponentChildren {
  if (typeof value === 'string') return <Text text={value} />;
  if (value === null || typeof value !== 'object') return <span class="json-literal">{String(value)}</span>;
  const entries = Array.isArray(value) ? value.map((one, at) => [String(at), one] as const) : Object.entries(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return <span class="json-mark">{`${open}${close}`}</span>;
  return <Entries entries={entries} open={open!} close={close!} isList={Array.isArray(value)} depth={depth} openDepth={openDepth} />;
}

interface EntriesProps {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly open: string;
  readonly close: string;
  readonly isList: boolean;
  readonly depth: number;
  readonly openDepth: number;
}

function Entries({ entries, open, close, isList, depth, openDepth }: EntriesProps) {
  const [count, setCount] = useState(PAGE);
  const [isOpen, setOpen] = useState(depth < openDepth);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="json-mark">{open}</span>
        {!isOpen && <span class="json-mark">{` ${entries.length} ${close}`}</span>}
      </summary>
      {isOpen && (
        <>
          <ul>
            {entries.slice(0, count).map(([key, one]) => (
              <li key={key}>
                {!isList && (
                  <>
                    <bdi class="json-key">{key}</bdi>
                    <span class="json-mark">: </span>
                  </>
                )}
                <Value value={one} depth={depth + 1} openDepth={openDepth} />
              </li>
            ))}
          </ul>
          {entries.length > count && (
            <button type="button" class="button plain" onClick={() => setCount(count + PAGE)}>
              {texts.showMoreOf(Math.min(PAGE, entries.length - count), entries.length)}
            </button>
          )}
          <span class="json-mark">{close}</span>
        </>
      )}
    </details>
  );
}

function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= MAX_TEXT);
  return (
    <>
      <bdi class="json-text">{JSON.stringify(isWhole ? text : text.slice(0, MAX_TEXT))}</bdi>
      {!isWhole && (
        <button type="button" class="button plain" onClick={() => setWhole(true)}>
          {texts.showAllCharacters(text.length)}
        </button>
      )}
    </>
  );
}

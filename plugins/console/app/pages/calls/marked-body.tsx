import { useState } from 'preact/hooks';
import type { BodyWithMarks, Mark } from './body-marks.js';
import { texts } from './detail-texts.js';

/** Lines that are shown at first, beginning shortly before the first mark. */
const PAGE = 300;
const BEFORE = 20;
/** Longer lines are cut. */
const MAX_LINE = 2_000;

/** A body with line numbers, and a note below each marked place. */
export function MarkedBody({ body: { lines, marks } }: { body: BodyWithMarks }) {
  const firstMark = marks.reduce((first, { line }) => Math.min(first, line), Number.POSITIVE_INFINITY);
  const start = Number.isFinite(firstMark) && firstMark > PAGE ? firstMark - BEFORE : 1;
  const [from, setFrom] = useState(start);
  const [to, setTo] = useState(start + PAGE);
  const shown = lines.slice(from - 1, to);
  return (
    <div class="body-box">
      {from > 1 && (
        <button type="button" class="button plain" onClick={() => setFrom(Math.max(1, from - PAGE))}>
          {texts.showLinesBefore(Math.min(PAGE, from - 1))}
        </button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it */}
      <ol class="code" start={from} tabIndex={0} aria-label={texts.linesOfTheBody} dir="ltr">
        {shown.map((text, at) => (
          <Line key={from + at} line={from + at} text={text} marks={marks.filter(({ line }) => line === from + at)} />
        ))}
      </ol>
      {to < lines.length && (
        <button type="button" class="button plain" onClick={() => setTo(to + PAGE)}>
          {texts.showMoreLines(Math.min(PAGE, lines.length - to), lines.length)}
        </button>
      )}
    </div>
  );
}

function Line({ line, text, marks }: { line: number; text: string; marks: readonly Mark[] }) {
  const [first] = marks;
  return (
    <li id={`body-line-${line}`} class={first ? 'is-marked' : undefined} value={line}>
      {first ? <Marked text={text} mark={first} /> : <code>{cut(text)}</code>}
      {marks.map(({ message, column }) => (
        <p key={`${column} ${message}`} class="mark-note">
          <span aria-hidden="true">↑</span> <bdi>{message}</bdi>
        </p>
      ))}
    </li>
  );
}

/** The line around its mark: of a long line, the part with the mark is shown. */
function Marked({ text, mark: { column, length } }: { text: string; mark: Mark }) {
  const begin = Math.max(0, column - 1 - MAX_LINE / 2);
  const end = Math.min(column - 1 + length, column - 1 + MAX_LINE);
  return (
    <code>
      {begin > 0 && '…'}
      {text.slice(begin, column - 1)}
      <mark>{text.slice(column - 1, end) || ' '}</mark>
      {cut(text.slice(end))}
    </code>
  );
}

const cut = (text: string): string => (text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}… ${texts.characters(text.length)}` : text);

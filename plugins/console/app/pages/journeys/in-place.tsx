import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../data/announce.js';
import type { Canvas, CardParts } from './canvas.js';
import { texts } from './card-texts.js';

interface Props {
  readonly canvas: Canvas;
  readonly card: string;
  readonly close: () => void;
}

/** The first text of a card as a field over the card. */
export default function InPlace({ canvas, card, close }: Props) {
  const parts = canvas.useParts(card);
  const place = parts?.clauses
    .flatMap(({ texts }, k) => texts.map((text, i) => ({ ...text, k, i })))
    .find(({ fixed }) => fixed === undefined);
  const [typed, type] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const isLeft = useRef(false);
  useEffect(() => {
    field.current?.select();
    if (parts !== undefined && !place) announce(texts.noOwnText);
    if (parts !== undefined && !place) close();
  }, [parts === undefined]);
  if (!place) return null;
  const leave = (): void => {
    isLeft.current = true;
    close();
  };
  const save = async (): Promise<void> => {
    // A field that is removed loses the focus, too.
    if (isLeft.current) return;
    const { k, i, content } = place;
    const pick = ({ clauses }: CardParts) => ({ kind: 'text' as const, at: clauses[k]!.texts[i]!.at, content: typed! });
    if (typed === undefined || typed === content || (await canvas.edit(card, pick, texts.textChanged))) leave();
  };
  return (
    <textarea
      ref={field}
      class="node-field"
      aria-label={texts.textOfCard(card)}
      value={typed ?? place.content}
      onInput={({ currentTarget }) => type(currentTarget.value)}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
        if (event.key === 'Escape') leave();
        // The keys of the graph zoom and move.
        if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
      }}
    />
  );
}

import type { VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ConfirmSheet } from '../../components/confirm.js';
import { Menu } from '../../components/menu.js';
import { Loading } from '../../components/status.js';
import type { Canvas, CardParts, ClauseParts, ConditionPart } from './canvas.js';
import { texts } from './card-texts.js';
import { type NewCard, NewCardForm } from './new-card-form.js';

interface Props {
  readonly canvas: Canvas;
  readonly card: string;
  /** The names of all cards, in the order of the text. */
  readonly cards: readonly string[];
  /** Selects a card: a new one, or none after the selected one was deleted. */
  readonly select: (card: string | undefined) => void;
  /** Whether its text is to get the focus; `begun` is called when it has it. */
  readonly isEdited?: boolean;
  readonly begun?: () => void;
}

const WORDS: Readonly<Record<string, string>> = {
  text: texts.text,
  header: texts.header,
  footer: texts.footer,
  ask: texts.question,
  list: texts.buttonOfList,
};

/** The texts and ways of a card as fields. Each change is one edit of the notebook. */
export default function CardEditor({ canvas, card, cards, select, isEdited = false, begun }: Props) {
  const parts = canvas.useParts(card);
  const [created, create] = useState<NewCard>();
  const [also, setAlso] = useState<readonly string[]>();
  const section = useRef<HTMLElement>(null);
  const fields = useRef({ card, key: card });
  // The fields of a card that gets another name stay, with their focus.
  if (fields.current.card !== card) fields.current = { card, key: card };
  const { key } = fields.current;
  useEffect(() => create(undefined), [card]);
  useEffect(() => {
    if (!isEdited || !parts) return;
    begun?.();
    const text = section.current!.querySelector<HTMLTextAreaElement>('.card-clause textarea');
    text?.focus();
    text?.select();
  }, [isEdited, parts]);
  const leads = (
    label: string,
    to: string | null,
    go: (to: string | null, text?: string) => Promise<boolean | undefined>,
    name: string,
  ) => (
    <Leads
      label={label}
      to={to}
      cards={cards}
      canEnd={label === ''}
      go={(target) => void go(target)}
      create={() => create({ name: freeName(name, cards), make: go })}
    />
  );
  const addAfter = (to: string, text: string) =>
    canvas.edit(card, ({ clauses }) => ({ kind: 'connect', at: clauses[0]!.ends.at(-1)!.at, to, text }), texts.addedCard(to));
  const deleteCard = (): Promise<unknown> =>
    canvas.inTurn(async () => {
      const answer = await canvas.prepare(card, () => ({ kind: 'delete_card' }));
      if (answer) setAlso(answer.also);
    });
  return (
    <section ref={section} class="card-editor" aria-label={texts.editCard(card)}>
      <div class="buttons">
        <strong>
          <bdi>{card}</bdi>
        </strong>
        <button type="button" class="button outlined" onClick={() => void canvas.step('undo')}>
          {texts.undo}
        </button>
        <button type="button" class="button outlined" onClick={() => void canvas.step('redo')}>
          {texts.redo}
        </button>
        {parts?.clauses.length === 1 && (
          <button type="button" class="button outlined" onClick={() => create({ name: freeName('NewCard', cards), make: addAfter })}>
            {texts.newCardAfter}
          </button>
        )}
        <button type="button" class="button bad" onClick={() => void deleteCard()}>
          {texts.deleteCard}
        </button>
      </div>
      <Field
        key={key}
        name={texts.nameOfCard}
        value={card}
        fixed={undefined}
        commit={async (value) => {
          const to = value.trim();
          const isMade = await canvas.edit(card, () => ({ kind: 'rename_card', to }), texts.renamedCard(card, to), to);
          if (isMade) fields.current.card = to;
          if (isMade && to !== card) select(to);
          return isMade;
        }}
      />
      {canvas.refused !== undefined && (
        <p class="callout" role="alert">
          {canvas.refused}
        </p>
      )}
      {parts === undefined && canvas.refused === undefined && <Loading />}
      {parts === null && <p class="callout">{texts.noSuchCard}</p>}
      {created && <NewCardForm key={created.name} {...created} close={() => create(undefined)} />}
      {parts?.clauses.map((clause, k) => (
        <Clause key={`${key} ${k}`} {...{ clause, k, card, canvas, leads }} isOne={parts.clauses.length === 1} />
      ))}
      {also && (
        <ConfirmSheet
          title={texts.deleteNamed(card)}
          text={
            also.length === 0 ? (
              <p>{texts.nothingChangesWithIt}</p>
            ) : (
              <>
                <p>{texts.theseChangeWithIt}</p>
                <ul>
                  {also.map((line) => (
                    <li key={line}>{line}</li>
                  ))}
                </ul>
              </>
            )
          }
          verb={texts.deleteTheCard}
          close={() => setAlso(undefined)}
          go={async () => {
            setAlso(undefined);
            if (await canvas.edit(card, () => ({ kind: 'delete_card' }), texts.deletedCard(card))) select(undefined);
          }}
        />
      )}
    </section>
  );
}

interface ClauseProps {
  readonly clause: ClauseParts;
  readonly k: number;
  readonly card: string;
  readonly canvas: Canvas;
  readonly isOne: boolean;
  readonly leads: (
    label: string,
    to: string | null,
    go: (to: string | null, text?: string) => Promise<boolean | undefined>,
    name: string,
  ) => VNode;
}

function Clause({ clause, k, card, canvas, isOne, leads }: ClauseProps) {
  const { condition, when, texts: fields, buttons, ends } = clause;
  const [label, setLabel] = useState('');
  const added = useRef<HTMLInputElement>(null);
  const made = (to: string | null): string => (to === null ? texts.journeyEndsThere : texts.leadsTo(to));
  return (
    <div class="card-clause">
      {!isOne && <strong>{condition === null ? texts.otherwise : texts.if(condition)}</strong>}
      {when && <Condition {...{ card, canvas }} when={when} at={({ clauses }) => clauses[k]?.when?.at} />}
      {fields.map(({ word, content, fixed }, i) => (
        <Field
          key={i}
          name={WORDS[word] ?? word}
          value={content}
          fixed={fixed}
          isLong={word === 'text' || word === 'ask'}
          commit={(value) =>
            canvas.edit(card, ({ clauses }) => ({ kind: 'text', at: clauses[k]!.texts[i]!.at, content: value }), texts.textChanged)
          }
        />
      ))}
      {buttons.map(({ label: shown, to, fixed }, i) => (
        <div key={i} class="card-way">
          <Field
            name={texts.button(i + 1)}
            value={shown}
            fixed={fixed}
            commit={(value) =>
              canvas.edit(
                card,
                ({ clauses }) => ({ kind: 'rename_button', at: clauses[k]!.buttons[i]!.at, label: value }),
                texts.buttonRenamed,
              )
            }
          />
          {leads(
            shown,
            to,
            (target, text) =>
              canvas.edit(
                card,
                ({ clauses }) => ({ kind: 'connect', at: clauses[k]!.buttons[i]!.at, to: target, ...(text !== undefined && { text }) }),
                made(target),
              ),
            nameOf(shown),
          )}
          <button
            type="button"
            class="button plain"
            aria-label={texts.deleteButton(shown)}
            onClick={async () => {
              const done = await canvas.edit(
                card,
                ({ clauses }) => ({ kind: 'delete_button', at: clauses[k]!.buttons[i]!.at }),
                texts.deletedButton(shown),
              );
              if (done) added.current?.focus();
            }}
          >
            {texts.remove}
          </button>
        </div>
      ))}
      <div class="card-way">
        <div class="field">
          <label for={`new-button-${k}`}>{texts.newButton}</label>
          <input
            ref={added}
            id={`new-button-${k}`}
            class="input"
            value={label}
            onInput={({ currentTarget }) => setLabel(currentTarget.value)}
          />
        </div>
        {leads(
          texts.newButton,
          null,
          async (target, text) => {
            const done = await canvas.edit(
              card,
              ({ clauses }) => ({ kind: 'add_button', at: clauses[k]!.at, label, to: target!, ...(text !== undefined && { text }) }),
              texts.addedButton(label),
            );
            if (done) setLabel('');
            if (done) added.current?.focus();
            return done;
          },
          nameOf(label),
        )}
      </div>
      {ends.map(({ condition: words, when: own, to }, i) => (
        <div key={i} class="card-way">
          <span>{words === null ? (buttons.length > 0 ? texts.anyOtherAnswer : texts.next) : texts.if(words)}</span>
          {own && <Condition {...{ card, canvas }} when={own} at={({ clauses }) => clauses[k]?.ends[i]?.when?.at} />}
          {leads(
            '',
            to,
            (target, text) =>
              canvas.edit(
                card,
                ({ clauses }) => ({ kind: 'connect', at: clauses[k]!.ends[i]!.at, to: target, ...(text !== undefined && { text }) }),
                made(target),
              ),
            'NewCard',
          )}
        </div>
      ))}
    </div>
  );
}

interface ConditionProps {
  readonly card: string;
  readonly canvas: Canvas;
  readonly when: ConditionPart;
  /** Where the condition is in the parts as they are then. */
  readonly at: (parts: CardParts) => number | undefined;
}

const Condition = ({ card, canvas, when: { content, fixed }, at }: ConditionProps) => (
  <Field
    name={texts.condition}
    value={content}
    fixed={fixed}
    commit={(value) => canvas.edit(card, (parts) => ({ kind: 'condition', at: at(parts) ?? 0, content: value }), texts.conditionChanged)}
  />
);

interface FieldProps {
  readonly name: string;
  readonly value: string;
  /** Why it cannot be edited. */
  readonly fixed: string | undefined;
  readonly isLong?: boolean;
  readonly commit: (value: string) => Promise<boolean | undefined>;
}

/** A field whose text is written into the notebook when the focus leaves it, or with Ctrl+Enter; Escape gives a change up. */
function Field({ name, value, fixed, isLong = false, commit }: FieldProps) {
  const [typed, type] = useState<string>();
  const save = async (): Promise<void> => {
    if (typed === undefined || typed === value || (await commit(typed))) type(undefined);
  };
  const id = useId();
  const shared = {
    id,
    value: typed ?? value,
    readOnly: fixed !== undefined,
    title: fixed,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => type(currentTarget.value),
    onBlur: () => void save(),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape' && typed !== undefined) {
        event.stopPropagation();
        type(undefined);
      }
      if (event.key !== 'Enter' || (isLong && !event.ctrlKey && !event.metaKey)) return;
      event.preventDefault();
      void save();
    },
  };
  return (
    <div class="field">
      <label for={id}>
        {name}
        {isLong && <small> {texts.ctrlEnterApplies}</small>}
      </label>
      {isLong ? <textarea class="area" rows={3} {...shared} /> : <input class="input" {...shared} />}
      {fixed !== undefined && <small>{fixed}</small>}
    </div>
  );
}

interface LeadsProps {
  /** The button that leads there; empty for where the card continues. */
  readonly label: string;
  readonly to: string | null;
  readonly cards: readonly string[];
  readonly canEnd: boolean;
  readonly go: (to: string | null) => void;
  readonly create: () => void;
}

const Leads = ({ label, to, cards, canEnd, go, create }: LeadsProps) => {
  const none = canEnd ? texts.journeyEnds : label === texts.newButton ? texts.addLeadingTo : texts.leadsOn;
  const shown = to === null ? none : texts.arrowTo(to);
  return (
    <Menu
      look="button outlined"
      label={label === '' || label === texts.newButton ? shown : texts.leadsFromButton(shown, label)}
      items={[
        { id: '+', label: texts.toNewCard, select: create },
        ...(canEnd ? [{ id: '-', label: texts.journeyEnds, isChecked: to === null, select: () => go(null) }] : []),
        ...cards.map((name) => ({ id: `=${name}`, label: name, isChecked: name === to, select: () => go(name) })),
      ]}
    >
      {shown}
      {to !== null && <span aria-hidden="true"> ▾</span>}
    </Menu>
  );
};

/** The name, with a number if there is such a card. */
function freeName(name: string, cards: readonly string[]): string {
  const isTaken = (one: string): boolean => cards.some((card) => card.toLowerCase() === one.toLowerCase());
  let free = name;
  for (let n = 2; isTaken(free); n++) free = `${name}${n}`;
  return free;
}

/** A name for the card that a button leads to, such as `OpeningHours`. */
function nameOf(label: string): string {
  const words = label.normalize('NFD').match(/[A-Za-z0-9]+/g) ?? [];
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(name) ? name.slice(0, 40) : `Card${name.slice(0, 40)}`;
}

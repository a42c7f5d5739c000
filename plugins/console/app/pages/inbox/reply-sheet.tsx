import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { MessageRecord, NumberRecord } from '#core';
import { NETWORK_LIMITS } from '../../../../../core/turns/network-limits.js';
import { Sheet } from '../../../../../core/web/sheet.js';
import { type Action, CopyAs } from '../../components/copy.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import { idOf } from './content.js';
import { texts } from './dialog-texts.js';

export type ReplyKind = 'buttons' | 'list' | 'flow' | 'template' | 'location' | 'contacts' | 'reaction' | 'json';

interface ReplySheetProps {
  readonly kind: ReplyKind;
  readonly number: NumberRecord;
  readonly quoted: MessageRecord | undefined;
  readonly problem: string | undefined;
  readonly close: () => void;
  /** The call that sends a message. */
  readonly actionFor: (content: object) => Action;
  readonly send: (content: object) => Promise<void>;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly initial?: string;
  readonly note?: string;
  /** Several lines. */
  readonly isLong?: boolean;
}

interface Kind {
  readonly title: string;
  readonly fields: readonly Field[];
  /** The message. @throws Error if the fields make none */
  readonly content: (values: Readonly<Record<string, string>>, quoted: MessageRecord | undefined) => object;
}

const lines = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const body: Field = { name: 'body', label: texts.text, isLong: true };

const kinds: Readonly<Record<Exclude<ReplyKind, 'flow' | 'template'>, Kind>> = {
  buttons: {
    title: texts.replyWithButtons,
    fields: [
      body,
      {
        name: 'titles',
        label: texts.titlesOfTheButtons,
        initial: texts.yesNo,
        note: texts.oneALineUpTo(NETWORK_LIMITS.buttons, NETWORK_LIMITS.buttonTitle),
        isLong: true,
      },
    ],
    content: ({ body: text, titles }) => ({
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text },
        action: { buttons: lines(titles).map((title) => ({ type: 'reply', reply: { id: idFor(title), title } })) },
      },
    }),
  },
  list: {
    title: texts.replyWithAList,
    fields: [
      body,
      { name: 'button', label: texts.textOnTheButton, initial: texts.choose },
      {
        name: 'rows',
        label: texts.rows,
        initial: texts.openingHoursTodayAnd,
        note: texts.oneALineUpTo2(NETWORK_LIMITS.rows, NETWORK_LIMITS.rowTitle, NETWORK_LIMITS.rowDescription),
        isLong: true,
      },
    ],
    content: ({ body: text, button, rows }) => ({
      type: 'interactive',
      interactive: {
        type: 'list',
        body: { text },
        action: {
          button,
          sections: [
            {
              rows: lines(rows).map((line) => {
                const [title = '', description] = line.split('|').map((part) => part.trim());
                return { id: idFor(title), title, ...(description && { description }) };
              }),
            },
          ],
        },
      },
    }),
  },
  location: {
    title: texts.replyWithALocation,
    fields: [
      { name: 'latitude', label: texts.latitude, initial: '-33.7342' },
      { name: 'longitude', label: texts.longitude, initial: '18.9621' },
      { name: 'name', label: texts.nameOfThePlaceIf },
    ],
    content: ({ latitude, longitude, name }) => ({
      type: 'location',
      location: { latitude: Number(latitude), longitude: Number(longitude), ...(name && { name }) },
    }),
  },
  contacts: {
    title: texts.replyWithAContactCard,
    fields: [
      { name: 'name', label: texts.name },
      { name: 'phone', label: texts.phone },
    ],
    content: ({ name, phone }) => ({
      type: 'contacts',
      contacts: [{ name: { formatted_name: name, first_name: name }, phones: [{ phone, type: 'CELL' }] }],
    }),
  },
  reaction: {
    title: texts.reactToTheQuotedMessage,
    fields: [{ name: 'emoji', label: texts.emoji, initial: '👍', note: texts.emptyRemovesTheReaction }],
    content: ({ emoji }, quoted) => ({ type: 'reaction', reaction: { message_id: quoted && idOf(quoted), ...(emoji && { emoji }) } }),
  },
  json: {
    title: texts.anyMessageAsJson,
    fields: [
      {
        name: 'json',
        label: texts.theMessage,
        initial: JSON.stringify({ type: 'text', text: { body: texts.hello } }, null, 2),
        note: texts.asInPostV1Messages,
        isLong: true,
      },
    ],
    content: ({ json = '' }) => {
      const message: unknown = JSON.parse(json);
      if (typeof message !== 'object' || message === null || Array.isArray(message)) throw new Error(texts.mustBeAnObject);
      return message;
    },
  },
};

/** The fields of a reply that is neither a text nor a file. */
export default function ReplySheet(props: ReplySheetProps) {
  if (props.kind === 'flow') return <FlowReply {...props} />;
  if (props.kind === 'template') return <TemplateReply {...props} />;
  const { title, fields, content } = kinds[props.kind];
  return <Fields {...props} title={title} fields={fields} content={content} />;
}

function Fields({
  title,
  fields,
  content,
  quoted,
  problem,
  close,
  actionFor,
  send,
  children,
}: ReplySheetProps & Kind & { children?: ComponentChildren }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial])),
  );
  const [fault, setFault] = useState<string>();
  const submit = (): void => {
    setFault(undefined);
    try {
      void send(content(values, quoted));
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  const made = contentOrNone(() => content(values, quoted));
  return (
    <Sheet title={title} close={close}>
      {/* The dialog is inside of the form of the composer, so it has no form of its own. */}
      <div class="form">
        {children}
        {fields.map(({ name, label, note, isLong }, at) => {
          const control = {
            id: `reply-${name}`,
            dir: 'auto' as const,
            value: values[name] ?? '',
            'data-first': at === 0 ? true : undefined,
            onInput: ({ currentTarget }: { currentTarget: { value: string } }) => setValues({ ...values, [name]: currentTarget.value }),
          };
          return (
            <div key={name} class="field">
              <label for={control.id}>{label}</label>
              {isLong ? (
                <textarea {...control} class={name === 'json' ? 'area' : 'input'} rows={name === 'json' ? 10 : 3} />
              ) : (
                <input {...control} class="input" />
              )}
              {note && <small>{note}</small>}
            </div>
          );
        })}
        {(fault ?? problem) !== undefined && (
          <p class="problem" role="alert" dir="auto">
            {fault ?? problem}
          </p>
        )}
        <div class="buttons">
          <button type="button" class="button" {...controlOf(actionFor({}))} onClick={submit}>
            {texts.send}
          </button>
          {made && <CopyAs action={actionFor(made)} />}
        </div>
      </div>
    </Sheet>
  );
}

/** The message, or nothing while the fields make none: there is no call to copy then. */
function contentOrNone(make: () => object): object | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

interface Flow {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly status: string;
  readonly screens: readonly string[];
}

function FlowReply(props: ReplySheetProps) {
  const { data } = useQuery<{ flows: readonly Flow[] }>('/flows');
  const own = data?.flows.filter(({ account }) => props.number.account === null || account === props.number.account) ?? [];
  const [id, setId] = useState<string>();
  const flow = own.find((one) => one.id === id) ?? own[0];
  return (
    <Fields
      {...props}
      title={texts.replyWithAForm}
      fields={[
        { ...body, initial: texts.pleaseFillInThisForm },
        { name: 'cta', label: texts.textOnTheButton, initial: texts.openTheForm },
      ]}
      content={({ body: text, cta }) => {
        if (!flow) throw new Error(texts.accountHasNoFlow);
        return {
          type: 'interactive',
          interactive: {
            type: 'flow',
            body: { text },
            action: {
              name: 'flow',
              parameters: {
                flow_id: flow.id,
                flow_cta: cta,
                flow_message_version: '3',
                mode: flow.status === 'DRAFT' ? 'draft' : 'published',
                flow_token: `console-${flow.id}`,
                ...(flow.screens[0] !== undefined && { flow_action: 'navigate', flow_action_payload: { screen: flow.screens[0] } }),
              },
            },
          },
        };
      }}
    >
      {data && own.length === 0 ? (
        <p class="callout">{texts.noBusinessAccountOfThis}</p>
      ) : (
        <label class="field">
          <span>{texts.flow}</span>
          <select class="select" value={flow?.id} onChange={({ currentTarget }) => setId(currentTarget.value)}>
            {own.map(({ id: one, name, status }) => (
              <option key={one} value={one}>
                {name} ({status})
              </option>
            ))}
          </select>
        </label>
      )}
    </Fields>
  );
}

interface Template {
  readonly uuid: string;
  readonly name: string;
  readonly language: string;
}

function TemplateReply(props: ReplySheetProps) {
  const { data } = useQuery<{ templates: readonly Template[] }>(`/numbers/${props.number.uuid}/templates`);
  const known = data?.templates[0];
  return (
    <Fields
      {...props}
      key={known?.uuid ?? 'none'}
      title={texts.replyWithATemplate}
      fields={[
        { name: 'name', label: texts.name, initial: known?.name ?? '' },
        { name: 'language', label: texts.language, initial: known?.language ?? 'en' },
        { name: 'parameters', label: texts.parametersOfTheBody, note: texts.oneALine, isLong: true },
      ]}
      content={({ name, language, parameters }) => {
        const given = lines(parameters).map((text) => ({ type: 'text', text }));
        return {
          type: 'template',
          template: {
            name,
            language: { code: language, policy: 'deterministic' },
            ...(given.length > 0 && { components: [{ type: 'body', parameters: given }] }),
          },
        };
      }}
    >
      {data && data.templates.length > 0 && (
        <p class="quiet">{texts.templatesOfThisNumber(data.templates.map(({ name, language }) => `${name} (${language})`).join(', '))}</p>
      )}
    </Fields>
  );
}

/** An id made from a title, as developers would write it. */
const idFor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '') || title;

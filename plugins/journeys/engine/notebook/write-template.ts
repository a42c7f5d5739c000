import type { JsonObject } from '#core/basics';
import { marksOf, valueAt } from './call-values.js';
import { type Clause, type DraftExit, templateOf } from './draft.js';
import { baseOf, distinct, nameOfLabel } from './names.js';
import type { Argument, CallItem } from './syntax.js';

const MEDIA = ['image', 'video', 'document'] as const;

/** Compiles a template message. All its strings are expressions. Exports write buttons first, in reverse order. */
export function writeTemplate(clause: Clause, call: CallItem): void {
  const { names, exits } = buttonsOf(call.args.get('buttons'));
  const buttons = names.map((payload, i) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(i),
    parameters: [{ type: 'payload', payload }],
  }));
  const given = call.args.get('parameters');
  const texts = given?.kind === 'list' ? given.items : [];
  const components: JsonObject[] = [
    ...buttons.reverse(),
    ...MEDIA.flatMap((type) => {
      const link = valueAt(call, type)?.text;
      return link === undefined ? [] : [{ type: 'header', parameters: [{ type, [type]: { link } }] }];
    }),
    ...(texts.length > 0 ? [{ type: 'body', parameters: texts.map(({ text }) => ({ type: 'text', text })) }] : []),
  ];
  const body = components.length - 1;
  const header = buttons.length;
  clause.add({
    name: call.name ?? `${clause.base}_whatsapp_template_message`,
    type: 'Io.Turn.WhatsAppTemplateMessage',
    config: {
      template: {
        name: valueAt(call, 'name')!.text,
        language: { code: valueAt(call, 'language')!.text },
        components,
        tracking: null,
      },
    },
    itemType: 'whatsapp_template_message',
    exits,
    marks: () => [
      ...marksOf(call, { name: 'config/template/name', language: 'config/template/language/code' }),
      ...MEDIA.flatMap((type) => marksOf(call, { [type]: `config/template/components/${header}/parameters/0/${type}/link` })),
      ...texts.map(({ start, end }, i) => ({ path: `config/template/components/${body}/parameters/${i}/text`, start, end })),
    ],
  });
}

/** Cards as buttons get exits; labels take the default exit. */
function buttonsOf(argument: Argument | undefined): { names: string[]; exits: DraftExit[] } {
  if (argument?.kind === 'list') return { names: distinct(argument.items.map((label) => nameOfLabel(templateOf(label)))), exits: [] };
  if (argument?.kind !== 'cards') return { names: [], exits: [] };
  const names = distinct(argument.targets.map(({ name }) => baseOf(name)));
  const exits = argument.targets.map((target, i) => ({
    name: names[i]!,
    test: `block.value == "template-btn-idx-${i}"`,
    to: target,
    span: target,
  }));
  return { names, exits };
}

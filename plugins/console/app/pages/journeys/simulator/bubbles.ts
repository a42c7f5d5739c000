import { texts } from './texts.js';
/** A message of the journey as a phone shows it. */
export interface Bubble {
  readonly text: string;
  readonly footer?: string;
  /** The name of the button that opens a list. */
  readonly list?: string;
  readonly options: readonly { readonly label: string; readonly about?: string }[];
}

interface Shown {
  readonly type?: string;
  readonly text?: { readonly body: string };
  readonly template?: { readonly name: string; readonly language: { readonly code: string } };
  readonly interactive?: {
    readonly type: string;
    readonly header?: { readonly text?: string };
    readonly body?: { readonly text: string };
    readonly footer?: { readonly text: string };
    readonly action: {
      readonly button?: string;
      readonly buttons?: readonly { readonly reply: { readonly title: string } }[];
      readonly sections?: readonly { readonly rows: readonly { readonly title: string; readonly description?: string }[] }[];
      readonly parameters?: { readonly flow_cta: string };
    };
  };
}

/** @param message as a channel receives it */
export function bubbleOf(message: object): Bubble {
  const { type, text, template, interactive } = message as Shown;
  if (template) return { text: texts.template(template.name, template.language.code), options: [] };
  if (text && type === 'text') return { text: text.body, options: [] };
  if (interactive) {
    const { header, body, footer, action } = interactive;
    const rows = (action.sections ?? []).flatMap((section) => section.rows);
    const cta = action.parameters?.flow_cta;
    return {
      text: [header?.text, body?.text].filter(Boolean).join('\n'),
      ...(footer && { footer: footer.text }),
      ...(action.button !== undefined && { list: action.button }),
      ...(cta !== undefined && { footer: texts.formReply(cta) }),
      options: [
        ...(action.buttons ?? []).map(({ reply }) => ({ label: reply.title })),
        ...rows.map(({ title, description }) => ({ label: title, ...(description !== undefined && { about: description }) })),
      ],
    };
  }
  const medium = (message as Readonly<Record<string, { link?: string; caption?: string; filename?: string }>>)[type ?? ''];
  return { text: [`[${type}]`, medium?.caption ?? medium?.filename, medium?.link].filter(Boolean).join(' '), options: [] };
}

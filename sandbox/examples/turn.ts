/** A message to a contact, as the platform delivers it: the parts that the examples read. */
export interface Turn {
  readonly text?: { readonly body: string };
  readonly interactive?: {
    readonly type: string;
    readonly body?: { readonly text: string };
    readonly action: {
      readonly buttons?: readonly { readonly reply: Option }[];
      readonly sections?: readonly { readonly rows: readonly Option[] }[];
    };
  };
}

export interface Option {
  readonly id: string;
  readonly title: string;
}

/** The buttons or rows of a message. */
export function optionsOf({ interactive }: Turn): Option[] {
  const { buttons = [], sections = [] } = interactive?.action ?? {};
  return [...buttons.map(({ reply }) => reply), ...sections.flatMap(({ rows }) => rows)];
}

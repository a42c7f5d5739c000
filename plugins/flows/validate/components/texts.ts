import { array, boolean, type ComponentType, either, oneOf, type Properties, required, staticBoolean, string } from '../rule.js';

const anywhere = { inForm: true, inIf: true, inSwitch: true } as const;

const heading = (name: string): ComponentType => ({ name, properties: { text: required(string(80)) }, ...anywhere });

const running = (name: string, max: number): ComponentType => ({
  name,
  properties: {
    text: required(either(string(max), array(string(max)))),
    'font-weight': oneOf('bold', 'italic', 'bold_italic', 'normal'),
    strikethrough: boolean,
    markdown: staticBoolean,
  } satisfies Properties,
  ...anywhere,
});

export const textHeading = heading('TextHeading');
export const textSubheading = heading('TextSubheading');
export const textBody = running('TextBody', 4096);
export const textCaption = running('TextCaption', 409);

/** A Markdown document. A screen with it may contain nothing except a Footer. */
export const richText: ComponentType = {
  name: 'RichText',
  properties: { text: required(either(string(), array(string()))) },
  inForm: false,
  inIf: false,
  inSwitch: false,
};

import { readFileSync } from 'node:fs';
import type { FlowCategory } from '../operator/flow-operator.js';

export interface FlowTemplate {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly categories: readonly FlowCategory[];
  /** The text of the definition. */
  readonly definition: string;
}

const about: readonly Omit<FlowTemplate, 'definition'>[] = [
  { name: 'survey', title: 'Survey', about: 'Two screens: a rating and a comment.', categories: ['SURVEY'] },
  {
    name: 'booking',
    title: 'Booking',
    about: 'A day, the free times from an endpoint, and a summary.',
    categories: ['APPOINTMENT_BOOKING'],
  },
  { name: 'sign-up', title: 'Sign-up', about: 'Name, email and date of birth, then consent.', categories: ['SIGN_UP'] },
  { name: 'catalogue', title: 'Catalogue', about: 'Products from data, and an address only for delivery.', categories: ['OTHER'] },
];

let templates: readonly FlowTemplate[] | undefined;

/** Flows to start from; all are valid, without hints. */
export const flowTemplates = (): readonly FlowTemplate[] =>
  (templates ??= about.map((template) => ({
    ...template,
    definition: readFileSync(new URL(`../templates/${template.name}.json`, import.meta.url), 'utf8'),
  })));

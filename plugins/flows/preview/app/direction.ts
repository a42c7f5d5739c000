import { fieldsOf, listOf, shownText } from './definition.js';

const RTL = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The direction of the first letter; undefined without letters. */
export function directionOf(texts: readonly unknown[]): 'rtl' | 'ltr' | undefined {
  const letter = /\p{L}/u.exec(texts.map(shownText).join(' '))?.[0];
  return letter === undefined ? undefined : RTL.test(letter) ? 'rtl' : 'ltr';
}

/** The texts of a component in reading order: its own, then those of its options. */
export function textsOf(component: unknown): unknown[] {
  const { label, title, text, description, 'main-content': main, 'data-source': options, 'list-items': items } = fieldsOf(component);
  const own = [title, label, ...Object.values(fieldsOf(label)), ...(Array.isArray(text) ? text : [text]), description];
  return [...own, fieldsOf(main).title, ...[...listOf(options), ...listOf(items)].flatMap(textsOf)];
}

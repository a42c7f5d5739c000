import type { ValueType } from '../expression/syntax.js';
import type { HintCode } from './codes.js';

/**
 * What a property may hold. `isDynamic`: a reference of a fitting type or a backtick expression may stand in its place. Rules
 * are data, so that the tables of the components read like those of the network's documentation.
 */
export type Rule =
  | { readonly kind: 'text'; readonly max?: number; readonly isDynamic: boolean; readonly accepts?: readonly ValueType[] }
  | { readonly kind: 'name' }
  | { readonly kind: 'flag'; readonly isDynamic: boolean }
  | { readonly kind: 'number'; readonly isWhole: boolean; readonly from?: number; readonly to?: number }
  | { readonly kind: 'choice'; readonly of: readonly string[]; readonly isDynamic: boolean }
  /** `YYYY-MM-DD`. */
  | { readonly kind: 'date' }
  /** A picture in base64; more than `maxKiB` is a hint. */
  | { readonly kind: 'image'; readonly maxKiB: number }
  | ArrayRule
  | { readonly kind: 'record'; readonly properties: Properties; readonly isDynamic: boolean }
  /** The rule is chosen by what is found: text or list, text or record. */
  | { readonly kind: 'either'; readonly rules: readonly Rule[] }
  | { readonly kind: 'action'; readonly allows: readonly ActionName[] }
  /** Components: of a Form, or of a branch. Every component says for itself where it may stand. */
  | { readonly kind: 'components'; readonly place: 'form' | 'then' | 'else' }
  | { readonly kind: 'cases' }
  | { readonly kind: 'condition' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'url' }
  /** Six hexadecimal digits. */
  | { readonly kind: 'color' }
  /** A regular expression, without slashes. */
  | { readonly kind: 'pattern' }
  /** JSON that is looked into elsewhere. */
  | { readonly kind: 'json'; readonly holds: 'object' | 'anything' }
  /** The values, or the texts, of a Form's inputs by name. */
  | { readonly kind: 'by input'; readonly holds: 'values' | 'texts' };

export interface ArrayRule {
  readonly kind: 'list';
  readonly of: Rule;
  readonly min?: number;
  readonly max?: number;
  /** The most when one of the items has an image. */
  readonly maxWithImages?: number;
  readonly isDynamic: boolean;
  /** What the items of a bound array must declare. */
  readonly declares?: Readonly<Record<string, ValueType>>;
}

export type ActionName = 'navigate' | 'complete' | 'data_exchange' | 'update_data' | 'open_url';

export type Property = Rule & {
  readonly isRequired?: boolean;
  /** A Form has its own place for it. */
  readonly isOutsideFormOnly?: boolean;
};

export type Properties = Readonly<Record<string, Property>>;

/** A property that must be there. */
export const required = <R extends Rule>(rule: R): R & { readonly isRequired: true } => ({ ...rule, isRequired: true });

/** A property that a component has outside a Form only. */
export const outsideForm = <R extends Rule>(rule: R): R & { readonly isOutsideFormOnly: true } => ({ ...rule, isOutsideFormOnly: true });

/** The name of an input, Form or list: any text, never dynamic. */
export const name: Rule = { kind: 'name' };

/** Text, or what yields it. Beyond `max` characters it is cut off on phones, which is a hint. */
export const string = (max?: number): Rule => ({ kind: 'text', ...(max !== undefined && { max }), isDynamic: true });
export const staticString = (max?: number): Rule => ({ kind: 'text', ...(max !== undefined && { max }), isDynamic: false });
export const boolean: Rule = { kind: 'flag', isDynamic: true };
export const staticBoolean: Rule = { kind: 'flag', isDynamic: false };
export const number: Rule = { kind: 'number', isWhole: false };
export const integer = (range: { readonly from?: number; readonly to?: number } = {}): Rule => ({
  kind: 'number',
  isWhole: true,
  ...range,
});
export const oneOf = (...of: readonly string[]): Rule => ({ kind: 'choice', of, isDynamic: true });
export const staticOneOf = (...of: readonly string[]): Rule => ({ kind: 'choice', of, isDynamic: false });
export const date: Rule = { kind: 'date' };
export const image = (maxKiB: number): Rule => ({ kind: 'image', maxKiB });
export const array = (of: Rule, options: Omit<ArrayRule, 'kind' | 'of' | 'isDynamic'> = {}): ArrayRule => ({
  kind: 'list',
  of,
  isDynamic: true,
  ...options,
});
export const staticArray = (of: Rule, options: Omit<ArrayRule, 'kind' | 'of' | 'isDynamic'> = {}): ArrayRule => ({
  ...array(of, options),
  isDynamic: false,
});
export const record = (properties: Properties): Rule => ({ kind: 'record', properties, isDynamic: true });
export const staticRecord = (properties: Properties): Rule => ({ kind: 'record', properties, isDynamic: false });
export const either = (...rules: readonly Rule[]): Rule => ({ kind: 'either', rules });
export const action = (...allows: readonly ActionName[]): Rule => ({ kind: 'action', allows });

/** Two properties of which the first may not be greater than the second. */
export interface Bounds {
  readonly min: string;
  readonly max: string;
}

/** A component type: a table like one of the network's documentation. */
export interface ComponentType {
  readonly name: string;
  readonly properties: Properties;
  /** Whether it has `visible`; most have. */
  readonly hasVisible?: false;
  /** It has a name and a value, `${form.name}`: of this type, or of one that its properties decide. */
  readonly value?: ValueType | ValueFrom;
  /** A picker: its value is a list of files, which may go into few places. */
  readonly isPicker?: true;
  readonly inForm: boolean;
  /** Whether it may stand in the branches of an If, of a Switch. */
  readonly inIf: boolean;
  readonly inSwitch: boolean;
  readonly bounds?: readonly Bounds[];
  /** When the first property is there, the second must be, too. */
  readonly needs?: readonly { readonly when: string; readonly also: string }[];
  /** The property and the others exclude each other. */
  readonly excludes?: readonly { readonly property: string; readonly others: readonly string[] }[];
  /** Properties that other values of a property rule out. */
  readonly only?: readonly OnlyWith[];
  /** Properties that are pairs for one value of a property, and single for the others. */
  readonly pairs?: PairsWith;
  /** Properties without which it works, but not for everybody. */
  readonly advises?: readonly { readonly property: string; readonly code: HintCode; readonly why: string }[];
}

/** The value's type follows from a property: absent or not listed means `otherwise`. A dynamic property leaves it open. */
export interface ValueFrom {
  readonly property: string;
  readonly types: Readonly<Record<string, ValueType>>;
  readonly otherwise: ValueType;
}

/** `properties` may be there only when `property` has one of `values`; when it is absent it counts as `standard`. */
export interface OnlyWith {
  readonly properties: readonly string[];
  readonly property: string;
  readonly values: readonly string[];
  readonly standard: string;
}

export interface PairsWith {
  readonly property: string;
  readonly value: string;
  readonly standard: string;
  /** With this value these must be pairs. */
  readonly must: readonly string[];
  /** With this value these may be pairs. */
  readonly may: readonly string[];
}

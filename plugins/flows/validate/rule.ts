import type { ValueType } from '../expression/syntax.js';
import type { HintCode } from './codes.js';

/**
 * The values that a property accepts. `isDynamic`: it also accepts a reference of a matching type or an expression in backticks. Rules are
 * data, so that the component tables can be compared with those of the network's documentation.
 */
export type Rule =
  | { readonly kind: 'string'; readonly max?: number; readonly isDynamic: boolean; readonly accepts?: readonly ValueType[] }
  | { readonly kind: 'name' }
  | { readonly kind: 'boolean'; readonly isDynamic: boolean }
  | { readonly kind: 'number'; readonly isInteger: boolean; readonly from?: number; readonly to?: number }
  | { readonly kind: 'enum'; readonly of: readonly string[]; readonly isDynamic: boolean }
  /** `YYYY-MM-DD`. */
  | { readonly kind: 'date' }
  /** An image in base64; more than `maxKiB` is a hint. */
  | { readonly kind: 'image'; readonly maxKiB: number }
  | ArrayRule
  | { readonly kind: 'object'; readonly properties: Properties; readonly isDynamic: boolean }
  /** The type of the value selects the rule: string or array, string or object. */
  | { readonly kind: 'either'; readonly rules: readonly Rule[] }
  | { readonly kind: 'action'; readonly allows: readonly ActionName[] }
  /** Components of a Form or of a branch. Each component type declares where it is allowed. */
  | { readonly kind: 'components'; readonly place: 'form' | 'then' | 'else' }
  | { readonly kind: 'cases' }
  | { readonly kind: 'condition' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'url' }
  /** Six hexadecimal digits. */
  | { readonly kind: 'color' }
  /** A regular expression, without slashes. */
  | { readonly kind: 'pattern' }
  /** JSON that other code checks. */
  | { readonly kind: 'json'; readonly holds: 'object' | 'anything' }
  /** The values, or the error messages, of a Form's inputs, keyed by input name. */
  | { readonly kind: 'by input'; readonly holds: 'values' | 'texts' };

export interface ArrayRule {
  readonly kind: 'array';
  readonly of: Rule;
  readonly min?: number;
  readonly max?: number;
  readonly maxWithImages?: number;
  readonly isDynamic: boolean;
  /** If the array is a reference: the properties that its items must declare. */
  readonly declares?: Readonly<Record<string, ValueType>>;
}

export type ActionName = 'navigate' | 'complete' | 'data_exchange' | 'update_data' | 'open_url';

export type Property = Rule & {
  readonly isRequired?: boolean;
  /** Not allowed inside a Form, which has `init-values` and `error-messages` instead. */
  readonly isOutsideFormOnly?: boolean;
};

export type Properties = Readonly<Record<string, Property>>;

export const required = <R extends Rule>(rule: R): R & { readonly isRequired: true } => ({ ...rule, isRequired: true });

export const outsideForm = <R extends Rule>(rule: R): R & { readonly isOutsideFormOnly: true } => ({ ...rule, isOutsideFormOnly: true });

/** The name of an input, Form or list: any static text. */
export const name: Rule = { kind: 'name' };

/** Text, static or dynamic. More than `max` characters are a hint, because phones cut the text off. */
export const string = (max?: number): Rule => ({ kind: 'string', ...(max !== undefined && { max }), isDynamic: true });
export const staticString = (max?: number): Rule => ({ kind: 'string', ...(max !== undefined && { max }), isDynamic: false });
export const boolean: Rule = { kind: 'boolean', isDynamic: true };
export const staticBoolean: Rule = { kind: 'boolean', isDynamic: false };
export const number: Rule = { kind: 'number', isInteger: false };
export const integer = (range: { readonly from?: number; readonly to?: number } = {}): Rule => ({
  kind: 'number',
  isInteger: true,
  ...range,
});
export const oneOf = (...of: readonly string[]): Rule => ({ kind: 'enum', of, isDynamic: true });
export const staticOneOf = (...of: readonly string[]): Rule => ({ kind: 'enum', of, isDynamic: false });
export const date: Rule = { kind: 'date' };
export const image = (maxKiB: number): Rule => ({ kind: 'image', maxKiB });
export const array = (of: Rule, options: Omit<ArrayRule, 'kind' | 'of' | 'isDynamic'> = {}): ArrayRule => ({
  kind: 'array',
  of,
  isDynamic: true,
  ...options,
});
export const staticArray = (of: Rule, options: Omit<ArrayRule, 'kind' | 'of' | 'isDynamic'> = {}): ArrayRule => ({
  ...array(of, options),
  isDynamic: false,
});
export const object = (properties: Properties): Rule => ({ kind: 'object', properties, isDynamic: true });
export const staticObject = (properties: Properties): Rule => ({ kind: 'object', properties, isDynamic: false });
export const either = (...rules: readonly Rule[]): Rule => ({ kind: 'either', rules });
export const action = (...allows: readonly ActionName[]): Rule => ({ kind: 'action', allows });

/** Two properties; `min` must not be greater than `max`. */
export interface Bounds {
  readonly min: string;
  readonly max: string;
}

/** A component type, as in the tables of the network's documentation. */
export interface ComponentType {
  readonly name: string;
  readonly properties: Properties;
  /** False for the few components without `visible`. */
  readonly hasVisible?: false;
  /** Present for inputs: the type of `${form.name}`, or the property that it depends on. */
  readonly value?: ValueType | ValueFrom;
  /** Its value is a list of files, which only some payloads allow. */
  readonly isPicker?: true;
  readonly inForm: boolean;
  /** Whether it is allowed in the branches of an If, and of a Switch. */
  readonly inIf: boolean;
  readonly inSwitch: boolean;
  readonly bounds?: readonly Bounds[];
  /** Property `when` requires property `also`. */
  readonly needs?: readonly { readonly when: string; readonly also: string }[];
  /** The property excludes each of the others. */
  readonly excludes?: readonly { readonly property: string; readonly others: readonly string[] }[];
  /** Properties that are allowed only for some values of another property. */
  readonly only?: readonly OnlyWith[];
  /** Properties that are pairs for one value of another property, and single values otherwise. */
  readonly pairs?: PairsWith;
  /** Optional properties whose absence is a hint. */
  readonly recommends?: readonly { readonly property: string; readonly code: HintCode; readonly why: string }[];
}

/** The type of a value depends on a property; if the property is absent or not listed, it is `otherwise`. */
export interface ValueFrom {
  readonly property: string;
  readonly types: Readonly<Record<string, ValueType>>;
  readonly otherwise: ValueType;
}

/** `properties` are allowed only if `property` has one of `values`; `defaultValue` is its default. */
export interface OnlyWith {
  readonly properties: readonly string[];
  readonly property: string;
  readonly values: readonly string[];
  readonly defaultValue: string;
}

/** Properties that are `start-date`/`end-date` pairs if `property` has `value`; `defaultValue` is the default of `property`. */
export interface PairsWith {
  readonly property: string;
  readonly value: string;
  readonly defaultValue: string;
  readonly mustBePairs: readonly string[];
  readonly mayBePairs: readonly string[];
}

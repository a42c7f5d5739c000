import type { Reference } from '../expression/reference.js';
import type { ValueType } from '../expression/syntax.js';
import type { Findings } from './findings.js';
import type { JsonNode } from './json-node.js';
import type { ActionName, ArrayRule, ComponentType } from './rule.js';

/** The contents of a flow, collected for the checks that look at several places together. */
export interface FlowFacts {
  readonly root: JsonNode;
  readonly findings: Findings;
  readonly version: string;
  /** Whether the flow has a `data_api_version`, valid or not. */
  readonly hasEndpoint: boolean;
  readonly screens: Screen[];
  /** By id; for duplicate ids the first screen. */
  readonly screensById: Map<string, Screen>;
}

export interface Screen {
  readonly node: JsonNode;
  /** Undefined if the id is missing, empty or not a string. */
  readonly idNode: JsonNode | undefined;
  readonly id: string | undefined;
  /** Undefined if `terminal` is not a boolean. */
  readonly isTerminal: boolean | undefined;
  readonly isSuccess: boolean | undefined;
  /** The data model; undefined if it is not an object. */
  readonly data: ReadonlyMap<string, JsonNode> | undefined;
  /** `layout.children`; undefined if it is not an array. */
  readonly children: JsonNode | undefined;
  /** All components, at any depth. */
  readonly components: Component[];
  /** Map of names to inputs; for duplicate names the first input. */
  readonly inputs: Map<string, Component>;
  /** The names of its Forms, which references must not contain. */
  readonly formNames: Set<string>;
  readonly uses: Use[];
  readonly actions: Action[];
}

export interface Component {
  /** Undefined for a missing or unknown type. */
  readonly type: ComponentType | undefined;
  readonly node: JsonNode;
  readonly place: ComponentContext;
}

export interface ComponentContext {
  readonly inside: 'layout' | 'Form' | 'If' | 'Switch';
  readonly isInForm: boolean;
  /** How many Ifs and Switches contain it. */
  readonly branches: number;
  /** How many Ifs contain it. */
  readonly ifs: number;
}

export interface Use {
  readonly node: JsonNode;
  readonly content: { readonly reference: Reference } | { readonly expression: string; readonly isCondition: boolean };
  readonly expected: Expected;
}

/** The types that a property accepts from a reference; without `types`, any. */
export interface Expected {
  readonly types?: readonly ValueType[];
  /** For an array: the properties that its items must declare. */
  readonly declares?: ArrayRule['declares'];
}

export interface Action {
  readonly name: ActionName;
  readonly nameNode: JsonNode;
  readonly payload: JsonNode | undefined;
  /** The `next.name` of `navigate`. */
  readonly next: JsonNode | undefined;
}

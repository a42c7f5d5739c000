import type { Reference } from '../expression/reference.js';
import type { ValueType } from '../expression/syntax.js';
import type { Findings } from './findings.js';
import type { JsonNode } from './json-node.js';
import type { ActionName, ArrayRule, ComponentType } from './rule.js';

/** What the walk over a flow found in it, for the checks that look at several places at once. */
export interface FlowFacts {
  readonly root: JsonNode;
  readonly findings: Findings;
  readonly version: string;
  /** Whether it names a `data_api_version`, whatever that is. */
  readonly hasEndpoint: boolean;
  readonly screens: Screen[];
  /** By id; of screens with the same id the first. */
  readonly screensById: Map<string, Screen>;
}

export interface Screen {
  readonly node: JsonNode;
  /** Where its id stands, when it has one that can be used. */
  readonly idNode: JsonNode | undefined;
  readonly id: string | undefined;
  /** Undefined when that cannot be told. */
  readonly isTerminal: boolean | undefined;
  readonly isSuccess: boolean | undefined;
  /** The data model; undefined when it is no object. */
  readonly data: ReadonlyMap<string, JsonNode> | undefined;
  /** `layout.children`, when it is a list. */
  readonly children: JsonNode | undefined;
  /** Every component object, whatever it is inside of. */
  readonly components: Component[];
  /** By name; of inputs with the same name the first. */
  readonly inputs: Map<string, Component>;
  /** The names of its Forms, which references do not mention. */
  readonly formNames: Set<string>;
  readonly uses: Use[];
  readonly actions: Action[];
}

export interface Component {
  /** Undefined for one of a type that does not exist. */
  readonly type: ComponentType | undefined;
  readonly node: JsonNode;
  readonly place: Place;
}

/** Where a component stands. */
export interface Place {
  readonly inside: 'layout' | 'Form' | 'If' | 'Switch';
  readonly isInForm: boolean;
  /** How many Ifs and Switches are around it. */
  readonly branches: number;
  /** How many Ifs are around it. */
  readonly ifs: number;
}

/** A reference or expression in a property. */
export interface Use {
  readonly node: JsonNode;
  readonly content: { readonly reference: Reference } | { readonly expression: string; readonly isCondition: boolean };
  readonly expected: Expected;
}

/** What a property can do with: values of one of these types; nothing given means any. */
export interface Expected {
  readonly types?: readonly ValueType[];
  /** Of a list: what its items must declare. */
  readonly declares?: ArrayRule['declares'];
}

/** An action that is allowed where it stands. */
export interface Action {
  readonly name: ActionName;
  readonly nameNode: JsonNode;
  readonly payload: JsonNode | undefined;
  /** The name of the next screen, of `navigate`. */
  readonly next: JsonNode | undefined;
}

import { anyString, array, boolean, integer, named, nullable, number, object, oneOf, string, type TypeOf } from '#core';
import { triggerSchema } from '../definitions/journey.js';

const place = { line: integer(), column: integer() };
const point = { x: number(), y: number() };
const box = { ...point, width: number(), height: number() };

/** A range of the text, from its first character to the position after its last one. */
const rangeSchema = object({ ...place, end: object(place) });

/** A journey as boxes and arrows. Coordinates are pixels from the upper left corner, for labels in a monospaced font of 12 pixels. */
export const graphSchema = named(
  'JourneyGraph',
  object({
    width: number(),
    height: number(),
    flows: array(object({ id: string(), name: anyString(), ...box })),
    /** Headings of the notebook with cards, or the flows of a definition, if there are several. */
    sections: array(object({ title: anyString(), cards: integer(), is_collapsed: boolean() })),
    /** Cards, or in a journey without cards its blocks; and collapsed sections. */
    nodes: array(
      object(
        {
          id: anyString(),
          flow: string(),
          label: anyString(),
          /** The first words of what it says; empty if it says nothing. */
          says: anyString(),
          /** The kinds of files that it sends, such as `image`. */
          media: array(string()),
          /** The labels of its buttons and rows. */
          options: array(anyString()),
          /** The first of its buttons as drawn, and `+N` for the others. Their arrows leave from them. */
          pills: array(object({ text: anyString(), ...box })),
          is_first: boolean(),
          /** Whether a run waits there for input. */
          waits: boolean(),
          blocks: array(string()),
          /** The cards that it stands for: itself, or those of a collapsed section. */
          cards: array(anyString()),
          ...box,
          /** Where it is in the text. */
          places: array(rangeSchema),
        },
        /** The index of its section. */
        { section: integer() },
      ),
    ),
    edges: array(
      object(
        {
          from: anyString(),
          /** Null ends the flow. */
          to: nullable(anyString()),
          label: anyString(),
          /** The label in plain words. */
          words: anyString(),
          /** The exits that it stands for, as coverage names them. */
          exits: array(object({ block: string(), name: anyString(), to: nullable(string()) })),
          points: array(object(point)),
        },
        /** `option`: the index of the option of its card that it leaves from. */
        { option: integer(), label_at: object(point) },
      ),
    ),
  }),
);
export type GraphView = TypeOf<typeof graphSchema>;

/** A condition as it is written. `fixed`: why it cannot be edited. */
const conditionSchema = object({ at: integer(), content: anyString() }, { fixed: anyString() });

/** The parts of a card of a notebook that can be edited without writing code. `at` names a part: it is valid for the text that was sent. */
export const cardPartsSchema = named(
  'CardParts',
  object({
    /** The definitions of the card: several if it has conditions. */
    clauses: array(
      object(
        {
          at: integer(),
          /** In words. */
          condition: nullable(anyString()),
          /** `fixed`: why it cannot be edited. */
          texts: array(object({ at: integer(), word: string(), content: anyString() }, { fixed: anyString() })),
          /** `to`: null if it leads where its card continues. */
          buttons: array(object({ at: integer(), label: anyString(), to: nullable(anyString()) }, { fixed: anyString() })),
          /** Where it continues without a button. `to`: null ends the journey. */
          ends: array(object({ at: integer(), condition: nullable(anyString()), to: nullable(anyString()) }, { when: conditionSchema })),
        },
        { when: conditionSchema },
      ),
    ),
  }),
);

/** An edit of a card. `at` is that of a part; `text` makes a new card with the name `to`, which says it. */
export const canvasActionSchema = object(
  { kind: oneOf('text', 'add_button', 'rename_button', 'delete_button', 'connect', 'condition', 'rename_card', 'delete_card') },
  { at: integer().min(0), content: anyString(), label: anyString(), to: nullable(string()), text: anyString() },
);

/** A replacement of a range of the text, in UTF-16 code units. */
export const textChangeSchema = object({ from: integer(), to: integer(), insert: anyString() });

/** A finding about the text of an editor. */
export const textFindingSchema = named(
  'TextFinding',
  object(
    { severity: oneOf('error', 'warning'), code: string(), message: string(), ...place, end: object(place) },
    { path: anyString(), fix: string(), block: anyString(), expected: string(), nearest: string() },
  ),
);
export type TextFinding = TypeOf<typeof textFindingSchema>;

export const revisionSchema = named(
  'JourneyRevision',
  object(
    {
      uuid: string(),
      /** Increases within the journey. */
      count: integer(),
      created_at: string(),
      format: oneOf('notebook', 'definition'),
      /** Whether it is the draft, the staging or the production revision. */
      used_as: array(oneOf('draft', 'staging', 'production')),
      /** Characters of the notebook, or of the definition as JSON. */
      length: integer(),
    },
    /** When it was last published as production, if that is known. */
    { published_at: string() },
  ),
);
export type RevisionView = TypeOf<typeof revisionSchema>;

export const triggerInOrderSchema = named(
  'TriggerInOrder',
  object(
    {
      journey: string(),
      name: anyString(),
      /** Position among the triggers of its journey, from 0. */
      position: integer(),
      trigger: triggerSchema,
      /** Why it is not tried; null if it is. */
      not_tried: nullable(oneOf('disabled', 'not_published')),
    },
    /** The trigger of another journey that comes first for every message that this one matches. */
    { shadowed_by: object({ journey: string(), name: anyString(), position: integer() }) },
  ),
);
export type TriggerInOrder = TypeOf<typeof triggerInOrderSchema>;

export const completionSchema = named(
  'JourneyCompletion',
  object(
    {
      label: string(),
      kind: oneOf('card', 'item', 'function', 'variable', 'field', 'parameter', 'option', 'keyword', 'text'),
      detail: anyString(),
    },
    /** The text to insert, when it is not the label. */
    {
      insert: string(),
      /** The range of `insert` to select, so that typing replaces it. */
      select: object({ from: integer(), to: integer() }),
    },
  ),
);

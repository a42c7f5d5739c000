/**
 * The journey language as a library, `posthorn/engine`: checks and compiles journeys, runs them step by step, and evaluates
 * expressions. It has no clock, network, store or randomness of its own: the same arguments always give the same result.
 */

export type { Input, Json, JsonObject, StepDetails, Turn } from '#core/basics';
export { stepsOfPointer } from '#core/basics';
export type { BlockEvent, BlockType, Outcome, Report, Run } from './blocks/block-type.js';
export {
  type BlockDeclaration,
  type BlockSetting,
  type BlockSettings,
  blockType,
  type ContributedBlock,
  type GivenSettings,
} from './blocks/contributed.js';
export type { Definition } from './compile.js';
export { definitionCompletionsAt } from './editing/complete-definition.js';
export type { Completion, CompletionOptions, Completions } from './editing/options.js';
export type { Effect, EffectResult, PluginEffect } from './effect.js';
export type { Evaluated, ExpressionWarning } from './expression/expression.js';
export { type ExpressionFunction, functionType } from './expression/functions/contributed.js';
export { type JourneyLanguage, withLanguage } from './language.js';
export { JOURNEY_LIMITS } from './limits.js';
export type { Finding } from './lint/finding.js';
export { lintJourney as lint } from './lint/lint.js';
export type { AssetKind, AssetLookup } from './lint/references.js';
export { checkNotebook } from './notebook/check-notebook.js';
export type { JourneyOptions as NotebookOptions } from './notebook/compile.js';
export { completionsAt } from './notebook/completion.js';
export { type LanguageData, notebookCompletions, type StackMode, stackMode } from './notebook/editor/codemirror.js';
export type { NotebookFinding } from './notebook/findings.js';
export { type FormattedNotebook, formatNotebook } from './notebook/format.js';
export {
  dotOf,
  type GraphEdge,
  type GraphExit,
  type GraphLevel,
  type GraphNode,
  graphOf,
  type JourneyGraph,
  mermaidOf,
} from './notebook/graph.js';
export { NOTEBOOK_LIMITS } from './notebook/limits.js';
export { type CompiledNotebook, compileNotebook, type NotebookTrigger } from './notebook/notebook.js';
export { type CardOutline, type Outline, outlineOf, type Section } from './notebook/outline.js';
export type { Source, Sources } from './notebook/sources.js';
export { languageData, markdownInjection, stackGrammar, type TextMateGrammar } from './notebook/textmate.js';
export { type NotebookText, type NotebookTextOptions, notebookOf, type Unsaid } from './notebook/to-text/to-text.js';
export type { Environment, JourneyEvent, JourneyPosition as Place, Next, Session, Signal } from './session.js';
export { compile, DefinitionInvalid, type EvaluateOptions, evaluate, render } from './standalone.js';
export { type Step, type StepResult, step } from './step.js';

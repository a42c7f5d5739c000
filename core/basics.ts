/**
 * The entry point `posthorn/basics`, for code that runs without a platform: worker tasks, the command line, the journey engine. It loads no
 * package, so that a worker thread starts quickly.
 */

// Commands of plugins

export { type CommandDefinition, type CommandResult, command, type PluginCommand } from './contract/command.js';

// Texts, JSON and errors

export { beginningOf } from './cut-text.js';
export { messageOf, PlatformError, placeOf } from './errors.js';
export {
  bigInteger,
  exactJson,
  hasBigIntegers,
  integersAsText,
  type Json,
  type JsonObject,
  objectOf,
  readAnswer,
  readExactJson,
  readJson,
  readJsonText,
  readShownJson,
  TOO_DEEP,
  withExactIntegers,
  withTextIntegers,
} from './json.js';
export { pointerOf, stepsOf, stepsOfPointer } from './json-pointer.js';
export { didYouMean, nearest } from './nearest.js';

// Messages

export { type FileKind, fileKindOf, fileNameOf, fileTypeOf, typeOfBytes } from './turns/file-type.js';
export type { Input, StepDetails } from './turns/input.js';
export {
  acceptsType,
  type ChannelCapabilities,
  type MessageLimits,
  NETWORK_CAPABILITIES,
  NETWORK_FILES,
  NETWORK_LIMITS,
} from './turns/network-limits.js';
export type { Turn } from './turns/turn.js';

// Memory of work in progress

export { createRoom, type Room } from './memory/room.js';

import type { Tool } from '../tool.js';
import { authoringTools } from './authoring.js';
import { controlTools } from './control.js';
import { conversationTools } from './conversation.js';
import { inspectionTools } from './inspection.js';

/** Every tool, in the order in which clients list them. */
export const tools: readonly Tool[] = [...conversationTools, ...inspectionTools, ...controlTools, ...authoringTools];

import type { FlowValidation, ValidateOptions } from './result.js';
import { validateFlow } from './validate-flow.js';

export interface ValidateInput {
  readonly source: string | Uint8Array;
  readonly options: ValidateOptions;
}

export default function validate({ source, options }: ValidateInput): FlowValidation {
  return validateFlow(source, options);
}

import type { ChatModel, ModelConnection, ModelOutcome, ModelRequest, Models } from '../ports/model.js';

/** Models that are loaded when the first is asked: most platforms have none, and all of them are to start quickly. */
export class LateModels implements Models {
  readonly #load: () => Promise<Models>;
  #loaded: Promise<Models> | undefined;

  constructor(load: () => Promise<Models>) {
    this.#load = load;
  }

  open(connection: ModelConnection): ChatModel {
    return {
      generate: async (request: ModelRequest): Promise<ModelOutcome> => {
        this.#loaded ??= this.#load();
        return (await this.#loaded).open(connection).generate(request);
      },
    };
  }
}

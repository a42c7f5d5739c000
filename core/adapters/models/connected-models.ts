import type { Clock } from '../../ports/clock.js';
import type { HttpClient } from '../../ports/http-client.js';
import type { ChatModel, ModelConnection, Models } from '../../ports/model.js';
import { OpenAiCompatibleModel } from './openai-compatible.js';
import { ReplayModel } from './replay.js';
import { ScriptedModel } from './scripted.js';

/** Opens models by vendor: an OpenAI-compatible endpoint, a script, or recordings. */
export class ConnectedModels implements Models {
  readonly #ports: { readonly http: Pick<HttpClient, 'send'>; readonly clock: Clock };

  constructor(ports: { readonly http: Pick<HttpClient, 'send'>; readonly clock: Clock }) {
    this.#ports = ports;
  }

  open(connection: ModelConnection): ChatModel {
    switch (connection.vendor) {
      case 'openai-compatible':
        return new OpenAiCompatibleModel(connection, this.#ports);
      case 'scripted':
        return new ScriptedModel(connection.settings, this.#ports.clock);
      case 'replay':
        return new ReplayModel(connection.settings);
      default:
        return unknownVendor(connection.vendor);
    }
  }
}

const unknownVendor = (vendor: string): ChatModel => ({
  generate: async () => ({ kind: 'failed', code: 'model_not_available', reason: `unknown vendor '${vendor.slice(0, 60)}'` }),
});

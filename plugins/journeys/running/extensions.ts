import type { PluginContext } from '#core';
import type { WorkerPool } from '#core/ports';
import type { PluginEffect } from '../engine/effect.js';
import { type LanguageModule, loadModules } from '../engine/language.js';

import type { Performer } from './performers.js';

/** A code skill of a plugin, which the journeys of every number can call. Skills have a [page](../engine/skills/README.md) of their own. */
export interface PluginSkill {
  /** Begins with the name of the plugin: `weather/advice`, for `app("weather", "advice")` in notebooks. */
  readonly name: string;
  /** JavaScript: a module whose default export is a function of the arguments. It runs in the sandbox of all skills. */
  readonly source: string;
}

/** The additions of a plugin to journeys. */
export interface JourneyExtension {
  /** The name of the plugin. */
  readonly plugin: string;
  /** A module with block types and functions (`JourneyLanguage`): `new URL('./language.js', import.meta.url)`. Worker threads import it. */
  readonly language?: URL;
  /** Performs the effects that the block types request, by kind. Kinds begin with the name of the plugin: `weather.forecast`. */
  readonly effects?: Readonly<Record<string, Performer<PluginEffect>>>;
  /** Code skills, which the journeys of every number can call. */
  readonly skills?: readonly PluginSkill[];
}

/** The additions of the plugins of a platform to journeys. Complete when all plugins are registered. */
export interface JourneyAdditions {
  /** The modules with their languages. */
  readonly modules: readonly LanguageModule[];
  /** The performers, by the kinds of their effects. */
  readonly effects: ReadonlyMap<string, Performer>;
  /** The code skills, each under its name. */
  readonly skills: ReadonlyMap<string, PluginSkill>;
}

export type Extensions = ReturnType<typeof createExtensions>;

/** The additions of plugins to the journeys of one platform. */
export function createExtensions({ workers }: Pick<PluginContext, 'workers'>) {
  const modules: LanguageModule[] = [];
  const effects = new Map<string, Performer>();
  const skills = new Map<string, PluginSkill>();
  let isStarted = false;

  function extend({ plugin, language, effects: performed = {}, skills: added = [], ...unknown }: JourneyExtension): void {
    requireForm({ plugin, language, performed, added, unknown });
    if (isStarted) throw new TypeError(`plugin '${plugin}' extends journeys too late: call extend in register`);
    if (language) modules.push({ plugin, url: language.href });
    for (const [kind, performer] of Object.entries(performed)) claim(effects, plugin, 'effect', '.', kind, performer as Performer);
    for (const skill of added) claim(skills, plugin, 'skill', '/', skill.name, skill);
  }

  return {
    /**
     * Adds block types, functions, effects and skills of a plugin to journeys. Call it in `register`.
     * @throws TypeError for the name of another plugin, and a name that does not begin with that of the plugin, or is taken
     */
    extend: (extension: JourneyExtension): void => extend(extension),

    /** `extend` as the plugin with this name gets it. */
    extendAs: (caller: string) => (extension: JourneyExtension) => {
      const named = (extension as Partial<JourneyExtension> | undefined)?.plugin;
      if (named !== caller)
        throw new TypeError(`plugin '${caller}' extends journeys as '${named}': extend takes its own name, plugin: '${caller}'`);
      extend(extension);
    },

    /** The workers for tasks that run the engine: the input gets `language`, the modules of plugins. Without any it stays as it is. */
    workers: {
      run: (task, input) => workers.run(task, modules.length === 0 ? input : { ...input, language: modules }),
    } satisfies Pick<WorkerPool, 'run'>,

    /** The additions of plugins: the modules of their languages, performers and skills. Complete when all plugins are registered. */
    additions: { modules, effects, skills } as JourneyAdditions,

    /** Loads the modules here too, so that a mistake in one fails the start and not every turn. */
    async start(): Promise<void> {
      isStarted = true;
      await loadModules(modules);
    },
  };
}

/** For plugins in JavaScript, which no compiler checks. @throws TypeError */
function requireForm(given: Record<'plugin' | 'language' | 'performed' | 'added' | 'unknown', unknown>): void {
  const { plugin, language, performed, added, unknown } = given;
  if (typeof plugin !== 'string' || plugin === '') throw new TypeError('extend needs the name of the plugin: extend({ plugin, … })');
  const fail = (why: string): never => {
    throw new TypeError(`plugin '${plugin}' extends journeys, but ${why}`);
  };
  const [key] = Object.keys(unknown as object);
  if (key !== undefined) fail(`'${key}' is unknown; known keys are plugin, language, effects, skills`);
  if (language !== undefined && !(language instanceof URL)) fail("language is not a URL: new URL('./language.js', import.meta.url)");
  for (const [kind, performer] of Object.entries(performed as object))
    if (typeof performer !== 'function') fail(`the performer of '${kind}' effects is not a function`);
  for (const skill of added as readonly Partial<PluginSkill>[])
    if (typeof skill?.name !== 'string' || typeof skill.source !== 'string') fail('a skill needs a name and a source, both texts');
}

function claim<T>(known: Map<string, T>, plugin: string, noun: string, separator: string, name: string, added: T): void {
  if (!name.startsWith(plugin + separator))
    throw new TypeError(`plugin '${plugin}' adds the ${noun} '${name}': its name must begin with '${plugin}${separator}'`);
  if (known.has(name)) throw new TypeError(`plugin '${plugin}' adds the ${noun} '${name}' twice`);
  known.set(name, added);
}

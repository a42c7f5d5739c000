// The rules of imports between the files of this project. `check-imports.ts` applies them.

/** Which imports the files of a folder may have. The first rule whose `from` matches a file applies; an import outside `allow` is a violation. */
interface Rule {
  readonly from: RegExp;
  /** Paths of project files, and specifiers of packages. */
  readonly allow: readonly RegExp[];
}

const node = /^node:/;
const joi = /^joi$/;
const hapi = /^@hapi\/hapi$/;
const quickjs = /^(quickjs-emscripten-core|@jitl\/quickjs-wasmfile-release-sync(\/wasm)?)$/;
/** The build of libphonenumber-js in the package. */
const phoneNumbers = /^#phone-numbers$/;
const manifest = /^posthorn\/package\.json$/;
const shared = /^core\/(signature|sign\.task|nearest|json-pointer|errors|shape|dialect|lazy|json|cut-text|url-fault|ports\/[\w-]+)\.ts$/;
/** Types that messages and journeys share: turns, input of contacts, file types. */
const turns = /^core\/turns\/.+\.ts$/;
export const engine = /^plugins\/journeys\/engine\/.+\.ts$/;
const nouns = /^core\/(turns|messaging|delivery)\/.+\.ts$/;
/** The entry points of core for plugins. */
const coreFaces = /^#core(\/(basics|messaging|ports|schemas))?$/;
/** Texts and filters of events, and kinds of records, for the server, the command line and the console. They import nothing else. */
const events = /^core\/events\/.+\.ts$/;
/** How texts name the command line. Imports nothing else, so that commands start quickly. */
const ownCommand = /^core\/own-command\.ts$/;
/** A table of numbers, which imports only types. */
const networkLimits = /^core\/turns\/network-limits\.ts$/;
/** The files that compose platforms. */
const platformFace = /^core\/platform\/(platform|options|version|stored-collections)\.ts$/;
/** Parts of pages that several plugins bundle for browsers. */
const web = /^core\/web\/.+\.tsx?$/;
/** Packages in the bundles of the console and the web chat. */
const browserLibraries =
  /^(preact(\/.+)?|@preact\/signals|wouter-preact|jsonc-parser|@zag-js\/(combobox|menu|preact|splitter|tabs)|@tanstack\/virtual-core|@codemirror\/(autocomplete|commands|language|search|state|view)|@lezer\/highlight|uplot|eventsource-client|diff)$/;
/** The language of notebooks for CodeMirror, which imports nothing. */
const notebookEditor = /^plugins\/journeys\/engine\/notebook\/editor\/(codemirror\.ts|language\.json)$/;
/** The drawing of a graph as SVG, which imports only types. */
const graphDrawing = /^plugins\/journeys\/editing\/(graph-svg|edge-shapes)\.ts$/;
const storeParts = /^core\/adapters\/((store|log)\/.+|(v8-heap|folder-blobs|workers\/worker-pool)\.ts$)/;

/** All file access goes through this file, so that tests can use a simulated disk. */
const fileSystem = /^core\/adapters\/file-system\.ts$/;
const memory = /^core\/memory\/.+\.ts$/;

export const rules: readonly Rule[] = [
  // The types of its connections.
  { from: /^core\/ports\/sockets\.ts$/, allow: [/^node:(net|tls)$/] },
  { from: /^core\/ports\//, allow: [/^core\/ports\//] },
  { from: /^core\/sign(ature|\.task)\.ts$/, allow: [/^node:crypto$/, shared] },
  { from: /^core\/basics\.ts$/, allow: [joi, shared, turns, /^core\/(contract\/command|memory\/room)\.ts$/] },
  { from: /^core\/(basics|nearest|json-pointer|errors|dialect|lazy|json|cut-text|shape|url-fault)\.ts$/, allow: [joi, shared, turns] },
  { from: /^core\/platform\/locale\.ts$/, allow: [node, joi, /^libphonenumber-js\/min$/, phoneNumbers] },
  { from: events, allow: [events] },
  { from: memory, allow: [node, shared, memory] },
  { from: turns, allow: [joi, shared, turns, /^node:module$/, /^mime-types$/] },
  // Reads texts that are not JSON yet.
  { from: /^plugins\/journeys\/engine\/editing\/read-json\.ts$/, allow: [/^node:module$/, /^jsonc-parser$/, /^#core\/basics$/, engine] },
  // The engine is an independent library: it runs in worker threads and in the command line, without a platform.
  {
    from: engine,
    allow: [
      node,
      joi,
      /^#core\/(basics|ports|schemas)$/,
      engine,
      /^(re2js|libphonenumber-js\/min|@cfworker\/json-schema)$/,
      phoneNumbers,
      quickjs,
    ],
  },
  {
    from: /^core\/messaging\//,
    allow: [node, joi, shared, memory, turns, /^core\/messaging\/.+\.ts$/, /^libphonenumber-js\/min$/],
  },
  // Contains receivers as texts, with imports of their own.
  { from: /^plugins\/webhooks\/signature\/fixes\.ts$/, allow: [/^(express|fastify|@hapi\/hapi)$/, /^node:crypto$/] },
  { from: /^core\/delivery\//, allow: [node, joi, shared, memory, turns, /^core\/(messaging|delivery)\//] },
  { from: /^core\/contract\//, allow: [joi, hapi, shared, memory, nouns, events, /^core\/contract\//] },
  {
    from: /^core\/kernel\/plugins\/container\.ts$/,
    allow: [/^(tsyringe|reflect-metadata)$/, /^node:module$/, shared, /^core\/contract\//],
  },
  {
    from: /^core\/kernel\/http\/openapi\/conformance\.ts$/,
    allow: [joi, shared, /^core\/kernel\/http\/openapi\/schema\.ts$/, /^@cfworker\/json-schema$/],
  },
  // The chain of a message names the advice on its deliveries.
  {
    from: /^core\/admin\/why(-links)?\.ts$/,
    allow: [shared, nouns, events, ownCommand, /^core\/(contract|kernel)\//, /^core\/admin\/(advice|why-links)\.ts$/],
  },
  {
    from: /^core\/(kernel|admin)\//,
    allow: [node, joi, hapi, shared, memory, nouns, events, /^core\/(contract|kernel)\//, /^core\/admin\/(deliveries|search)\//],
  },
  { from: /^core\/adapters\/open-telemetry\.ts$/, allow: [shared, /^@opentelemetry\/api$/] },
  {
    from: /^core\/adapters\/store\//,
    allow: [node, shared, /^core\/adapters\/(store|encryption|secrets)\//, fileSystem, /^lowdb(\/node)?$/],
  },
  {
    from: /^core\/adapters\/encryption\//,
    allow: [node, shared, fileSystem, /^core\/adapters\/(encryption\/|secrets\/sealed-secrets\.ts$)/],
  },
  { from: /^core\/adapters\/clock\//, allow: [node, shared, /^core\/adapters\/clock\//] },
  { from: /^core\/adapters\/queue\//, allow: [node, shared, /^core\/adapters\/queue\//, /^sorted-btree$/] },
  { from: /^core\/adapters\/outbox\//, allow: [node, shared, /^core\/adapters\/(outbox|queue)\//] },
  { from: /^core\/adapters\/http\//, allow: [node, shared, /^core\/adapters\/http\//, /^undici$/] },
  {
    from: /^core\/adapters\/sockets\//,
    allow: [node, shared, /^core\/adapters\/http\/(guarded-lookup|http-failure|name-lookup|target-rules)\.ts$/],
  },
  {
    from: /^core\/adapters\/outbound\//,
    allow: [node, shared, /^core\/adapters\/(outbound\/.+|http\/.+|clock\/real-clock|spare-threads)\.ts$/, /^piscina$/],
  },
  { from: /^core\/adapters\/workers\//, allow: [node, shared, /^core\/adapters\/(workers\/|spare-threads\.ts$)/, /^piscina$/] },
  { from: /^core\/adapters\/(log|secrets)\//, allow: [node, shared, /^core\/adapters\/(log|secrets)\//, fileSystem] },
  { from: /^core\/adapters\/models\//, allow: [node, shared, /^core\/adapters\/models\//, /^(re2js|ai|@ai-sdk\/openai-compatible)$/] },
  { from: /^core\/adapters\/faults\//, allow: [node, shared, fileSystem, /^core\/adapters\/faults\//] },
  { from: /^core\/adapters\//, allow: [node, shared, fileSystem, /^(eventemitter3|prom-client)$/] },
  // Parts of the pages that the plugins bundle for browsers.
  { from: /^core\/web\//, allow: [/^preact(\/.+)?$/, /^core\/web\//] },
  { from: /^core\/testing\//, allow: [node, joi, hapi, shared, nouns, /^core\//] },
  { from: /^core\/platform\/version\.ts$/, allow: [/^node:module$/, manifest] },
  { from: /^core\/(platform\/)?[\w-]+\.ts$/, allow: [node, joi, hapi, /^core\/(?!testing\/)/] },
  // Regular expressions of clients, which run in linear time.
  { from: /^plugins\/messages\/data\/scrubbing\.ts$/, allow: [node, coreFaces, /^re2js$/, /^plugins\/messages\//] },
  // One deployment form of several: its parts are adapters, and hosts that compose platforms. Core does not import it.
  { from: /^plugins\/cluster\/postgres\//, allow: [node, coreFaces, shared, storeParts, platformFace, /^pg$/] },
  { from: /^plugins\/cluster\/move\//, allow: [node, coreFaces, shared, /^core\/adapters\/(store|outbox)\//, platformFace] },
  {
    from: /^plugins\/cluster\/routing\//,
    allow: [node, joi, hapi, coreFaces, shared, /^core\/(contract|kernel)\//, /^core\/messaging\/token\.ts$/, /^undici$/],
  },
  // The core dismisses and keeps its own issued advice.
  { from: /^plugins\/cluster\/unowned-shards\.ts$/, allow: [coreFaces, shared, /^core\/messaging\/messages\.ts$/] },
  { from: /^plugins\/cluster\//, allow: [node, hapi, coreFaces, shared, /^core\/(contract|kernel)\//, platformFace] },
  { from: /^plugins\/flows\/testing\.ts$/, allow: [node, /^#core(\/(basics|testing))?$/] },
  // Reads mails in a worker.
  {
    from: /^plugins\/email\/content\/(parse-mail\.task|new-text|html-text)\.ts$/,
    allow: [node, /^(postal-mime|email-reply-parser|htmlparser2|#core\/basics)$/, /^plugins\/email\/content\//],
  },
  { from: /^plugins\/email\/content\//, allow: [node, coreFaces, /^nodemailer\/lib\/mail-composer$/, /^plugins\/email\/content\//] },
  // Stand-ins of networks, which answer the calls of a scripted HTTP client. Clients of Telegram write multipart bodies in many ways.
  { from: /^plugins\/telegram\/testing\/call\.ts$/, allow: [/^#core\/testing$/, /^@fastify\/busboy$/] },
  { from: /^plugins\/webchat\/testing\/person\.ts$/, allow: [/^#core\/testing$/] },
  // Plays servers with the packages of their protocols.
  {
    from: /^plugins\/email\/testing\/(stand-in|mailbox)\.ts$/,
    allow: [node, coreFaces, /^#core\/testing$/, /^(nodemailer(\/lib\/mail-composer)?|postal-mime|smtp-server|hoodiecrow-imap)$/],
  },
  { from: /^plugins\/(cloud-api|email|sms|telegram)\/testing\//, allow: [node, hapi, coreFaces, /^#core\/testing$/] },
  // Protocols of mail, which only platforms with e-mail numbers load.
  {
    from: /^plugins\/email\/(libraries|connection|sending\/.+|receiving\/.+)\.ts$/,
    allow: [node, coreFaces, /^plugins\/email\//, /^(nodemailer|smtp-server|imapflow|postal-mime|email-reply-parser|htmlparser2)$/],
  },
  { from: /^plugins\/flows\/editing\/complete\.ts$/, allow: [node, /^jsonc-parser$/, /^plugins\/flows\//] },
  { from: /^plugins\/flows\//, allow: [node, joi, coreFaces, web, /^(@fastify\/busboy|preact(\/.+)?)$/] },
  { from: /^plugins\/integration\/answers\/written-order\.ts$/, allow: [node, /^jsonc-parser$/] },
  // Tasks and positions for editors. The command line uses the positions without a sandbox.
  { from: /^plugins\/journeys\/editing\/json-source\.ts$/, allow: [/^jsonc-parser$/] },
  { from: /^plugins\/journeys\/editing\//, allow: [node, coreFaces, /^#engine$/, /^@dagrejs\/dagre$/] },
  { from: /^plugins\/integration\/inspection\/try-answer\.ts$/, allow: [node, /^jsonc-parser$/, coreFaces] },
  // Contains connectors as texts, with imports of their own.
  { from: /^plugins\/console\/app\/pages\/channels\/starters\.ts$/, allow: [node] },
  { from: /^plugins\/console\/app\//, allow: [coreFaces, web, events, networkLimits, notebookEditor, graphDrawing, browserLibraries] },
  { from: /^plugins\/webchat\/app\//, allow: [web, browserLibraries] },
  { from: /^plugins\/console\//, allow: [node, joi, coreFaces] },
  { from: /^plugins\//, allow: [node, joi, coreFaces] },
  { from: /^sandbox\/(examples|recipes)\//, allow: [node, joi, hapi, /^#core$/, /^posthorn(\/|$)/, /^sandbox\/(examples|recipes)\//] },
  { from: /^sandbox\/version\.ts$/, allow: [/^node:module$/, manifest] },
  { from: /^sandbox\/commands\/doctor\.ts$/, allow: [node, coreFaces, manifest, /^esbuild\/package\.json$/, /^sandbox\//] },
  // They run without Posthorn.
  { from: /^sandbox\/starters\/polled-chat\//, allow: [node, /^posthorn(\/|$)/, /^sandbox\/starters\/polled-chat\//] },
  { from: /^sandbox\/starters\//, allow: [node, /^sandbox\/starters\//] },
  // Graphs of files, as the console draws them.
  {
    from: /^sandbox\/notebooks\/verbs\.ts$/,
    allow: [node, /^#engine$/, /^plugins\/journeys\/editing\/(graph-svg|graph-view)\.ts$/, /^sandbox\//],
  },
  // Suggestions for misspelt commands and flags, which must load quickly.
  { from: /^sandbox\/terminal\/table\.ts$/, allow: [/^fast-string-truncated-width$/, /^sandbox\//] },
  { from: /^sandbox\/terminal\/hyperlink\.ts$/, allow: [node, /^supports-hyperlinks$/] },
  {
    from: /^sandbox\/terminal\/(flags|failure)\.ts$/,
    allow: [node, /^core\/nearest\.ts$/, /^sandbox\//],
  },
  // `flow validate` needs no sandbox, so it imports the validator and not the plugin.
  {
    from: /^sandbox\/(commands\/flow|reports\/flow-report)\.ts$/,
    allow: [node, /^plugins\/flows\/validate\/(validate-flow|result)\.ts$/, /^sandbox\//],
  },
  // `journey lint` needs no sandbox, so it imports the positions in a definition and not the plugin.
  {
    from: /^sandbox\/reports\/journey-report\.ts$/,
    allow: [node, /^#(engine|core(\/(basics|messaging|schemas))?)$/, /^plugins\/journeys\/editing\/json-source\.ts$/, /^sandbox\//],
  },
  {
    from: /^sandbox\/(testing|commands\/(cloud-api|email|sms|telegram))\.ts$/,
    allow: [node, /^#core\/testing$/, /^plugins\/(cloud-api|email|sms|telegram)\/testing\/index\.ts$/, /^sandbox\//],
  },
  {
    from: /^sandbox\/(commands\/data|reports\/(move|backup)-report)\.ts$/,
    allow: [node, /^plugins\/cluster\/move\/data-move\.ts$/, /^core\/adapters\/store\/index\.ts$/, ownCommand, coreFaces, /^sandbox\//],
  },
  { from: /^sandbox\/(commands\/cluster|reports\/cluster-report)\.ts$/, allow: [/^plugins\/cluster\/postgres\/index\.ts$/, /^sandbox\//] },
  { from: /^sandbox\/server\/shared-store\.ts$/, allow: [node, /^#core\/ports$/, /^plugins\/cluster\/postgres\/index\.ts$/, /^sandbox\//] },
  // The command line checks the manifests of plugins without a platform.
  { from: /^sandbox\/conform\/(index|plugin-checks)\.ts$/, allow: [/^#core$/, /^core\/contract\/conformance-check\.ts$/, /^sandbox\//] },
  // Bundles plugins of users.
  { from: /^sandbox\/server\/load-module\.ts$/, allow: [node, /^#core$/, /^esbuild$/, /^sandbox\//] },
  // Test files are checked with the patterns that the runner matches.
  {
    from: /^sandbox\/journey-tests\/format\//,
    allow: [node, joi, /^(yaml|re2js)$/, coreFaces, /^plugins\/simulation\/mocks\/url-pattern\.ts$/, /^sandbox\/journey-tests\/format\//],
  },
  // Conversations are played against the stand-ins of channels.
  {
    from: /^sandbox\/journey-tests\/channels\//,
    allow: [node, /^#core(\/(basics|messaging|testing))?$/, /^plugins\/[\w-]+\/(plugin|testing\/index)\.ts$/, /^sandbox\//],
  },
  // Tests of journeys use the mocks and the transcripts of simulations and the performer of code skills, without a platform.
  {
    from: /^sandbox\/journey-tests\//,
    allow: [
      node,
      joi,
      hapi,
      joi,
      /^re2js$/,
      /^#(engine|core(\/(basics|messaging|ports|schemas))?)$/,
      /^plugins\/simulation\/(input|mocks\/[\w-]+|response\/transcript)\.ts$/,
      /^plugins\/journeys\/(effects\/skill|editing\/json-source)\.ts$/,
      /^plugins\/[\w-]+\/plugin\.ts$/,
      ownCommand,
      /^sandbox\//,
    ],
  },
  {
    from: /^sandbox\/(mcp\/|commands\/mcp\.ts$)/,
    allow: [node, joi, events, ownCommand, coreFaces, /^@modelcontextprotocol\/sdk\//, /^sandbox\//],
  },
  {
    from: /^sandbox\//,
    allow: [
      node,
      joi,
      hapi,
      events,
      ownCommand,
      /^#(engine|core(\/(basics|messaging|ports|schemas|testing))?)$/,
      /^plugins\/[\w-]+\/plugin\.ts$/,
      /^sandbox\//,
    ],
  },
  { from: /^scripts\//, allow: [node, /./] },
  { from: /^test\//, allow: [/./] },
];

/** Packages that only the named files of core may import. */
export const homes: Readonly<Record<string, RegExp>> = {
  'mime-types': /^core\/turns\/file-type\.ts$/,
  lowdb: /^core\/adapters\/store\/(files\/snapshot-file|compaction\.task)\.ts$/,
  piscina: /^core\/adapters\/(workers\/(piscina-pool|worker-entry)|outbound\/thread-sender)\.ts$/,
  eventemitter3: /^core\/adapters\/emitter-bus\.ts$/,
  '@opentelemetry': /^core\/adapters\/open-telemetry\.ts$/,
  'prom-client': /^core\/adapters\/prometheus\.ts$/,
  pg: /^plugins\/cluster\/postgres\/(?:connection|database-url|servers)\.ts$/,
  undici: /^(core\/adapters\/http\/[\w-]+|plugins\/cluster\/routing\/shard-calls)\.ts$/,
  'quickjs-emscripten-core': /^plugins\/journeys\/engine\/skills\/(isolate|code-skill\.task)\.ts$/,
  tsyringe: /^core\/kernel\/plugins\/container\.ts$/,
};

/** The files that import a path which they compute. All others name what they import, so that the rules see it. */
export const loaders: Readonly<Record<string, string>> = {
  'core/adapters/workers/task-module.ts': 'runs the module of a task in a worker thread',
  'plugins/journeys/engine/language.ts': 'loads the language of a plugin in a worker thread',
  'plugins/webchat/app/loader.ts': 'loads the application of the widget from the server of the number',
  'sandbox/demo/example-process.ts': 'runs an example of the package by its name',
  'sandbox/notebooks/graph-png.ts': 'loads a package for pictures if the user has installed it',
  'sandbox/server/load-module.ts': 'loads plugins of users',
};

/** The only plugins that import files which no entry point of the package exports: the folders of these files, and why. */
export const insiders: Readonly<Record<string, { readonly folders: readonly string[]; readonly why: string }>> = {
  'plugins/cluster': {
    folders: ['core', 'core/adapters', 'core/contract', 'core/kernel', 'core/messaging', 'core/platform', 'core/ports'],
    why: 'a deployment form: it composes platforms, keeps their data in PostgreSQL and passes their calls on',
  },
  'plugins/console': {
    folders: ['core/events', 'core/turns', 'core/web', 'plugins/journeys'],
    why: 'bundles for browsers what has no server in it: parts of pages, texts of events, limits of networks, the colours of notebooks, the drawing of graphs',
  },
  'plugins/flows': { folders: ['core/web'], why: 'bundles parts of pages for its preview' },
  'plugins/webchat': { folders: ['core/web'], why: 'bundles icons for its widget' },
};

/** Folders that other files import through their index.ts only. `insiders` are exempt: tests, and scripts that read the store's files. */
export const faces: readonly { readonly folder: string; readonly insiders: RegExp }[] = [
  { folder: 'core/adapters/store/', insiders: /^(test\/|scripts\/(bench\/history\/|crash|release-data|simulate))/ },
];

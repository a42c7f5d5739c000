/** `posthorn/plugins/webchat/testing`: a visitor of a website without a browser, for tests of web chats. */

export { playedWebchat } from './person.js';
export {
  CallRefused,
  type VisitorEvent,
  type VisitorMessage,
  type VisitorOptions,
  type WebchatVisitor,
  webchatVisitor,
} from './visitor.js';

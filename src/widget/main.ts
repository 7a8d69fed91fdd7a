/**
 * `GET /widget.js`: reads the script element's attributes and adds the web component
 * `knowledge-chat` to the page.
 */
import { openWidget } from './panel.ts';
import css from './style.css?inline';

const tag = 'knowledge-chat';
// A module has no current script.
const script = document.currentScript ?? document.querySelector('script[src*="/widget.js"]');

function addWidget(own: HTMLScriptElement) {
  // A page may load the script twice.
  if (customElements.get(tag)) return;
  const { key = '', namespace = '', agentName = '' } = own.dataset;
  const language = document.documentElement.lang.toLowerCase();
  const settings = { server: new URL('.', own.src).href, key, namespace, agentName, language };
  class KnowledgeChat extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      const root = this.attachShadow({ mode: 'open' });
      // A policy `style-src` without 'unsafe-inline' blocks style elements, but not these.
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      root.adoptedStyleSheets = [sheet];
      openWidget(root, settings);
    }
  }
  customElements.define(tag, KnowledgeChat);
  const host = document.createElement(tag);
  for (const name of ['position', 'scheme'])
    if (own.dataset[name]) host.setAttribute(name, own.dataset[name]);
  document.body.append(host);
}

if (script instanceof HTMLScriptElement) {
  if (document.body) addWidget(script);
  else document.addEventListener('DOMContentLoaded', () => addWidget(script));
}

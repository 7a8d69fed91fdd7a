/**
 * The launcher and the panel of the chat, inside a shadow root. On narrow screens the panel is
 * modal and fills the screen.
 */
import type { CitedPlace } from '../page/openapi.d.ts';
import { byDocument, isComposing, shownText, thumbShape } from '../page/shared-with-widget.ts';
import {
  loadSuggestions,
  type Rating,
  startChat,
  type WidgetSettings,
  type WidgetTurn,
} from './conversation.ts';
import { element, renderAnswer, webLink } from './render.ts';
import texts from './texts.json' with { type: 'json' };

type PanelSettings = WidgetSettings &
  Readonly<{
    language: string;
    /** Heading of the panel; empty: the language's default. */
    agentName: string;
  }>;

type Texts = (typeof texts)['en'];

const shapes = {
  chat: 'M4 4h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-8l-5 4v-4H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z',
  close: 'M6 6l12 12M18 6L6 18',
  fresh: 'M12 5v14M5 12h14',
  send: 'M12 20V5M5 12l7-7 7 7',
  thumb: thumbShape,
};

function icon(shape: keyof typeof shapes) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', shapes[shape]);
  svg.append(path);
  return svg;
}

function button(name: string, label: string, child: Node | string, act: () => unknown) {
  const attributes = { type: 'button', class: name, 'aria-label': label, title: label };
  const made = element('button', attributes, child);
  made.addEventListener('click', act);
  return made;
}

/** Lists the documents of an answer; each opens its quotes. */
function sourcesOf(sources: readonly CitedPlace[], { sources: heading, page }: Texts) {
  const items = byDocument(sources).map((cited) => {
    const { title = '', source = '' } = cited[0] ?? {};
    const numbers = new Set(cited.map(({ index }) => `[${index}]`));
    const sections = new Set(
      cited.map((one) =>
        [
          one.headingPath.filter((part) => part !== title).join(' › '),
          one.page ? `${page} ${one.page}` : '',
        ]
          .filter(Boolean)
          .join(', '),
      ),
    );
    const name = [title, [...sections].filter(Boolean).join('; ')].filter(Boolean).join(' › ');
    const place = element(
      'details',
      {},
      element('summary', {}, `${[...numbers].join('')} ${name}`),
      ...cited.map(({ quote }) => element('blockquote', {}, quote)),
    );
    if (/^https?:/i.test(source)) place.append(webLink(source, source));
    return element('li', {}, place);
  });
  return element('ul', { class: 'sources', 'aria-label': heading }, ...items);
}

interface TurnActions {
  retry(): void;
  /** @returns a sentence for the user, or nothing @throws if the rating is not saved */
  rate(rating: Rating): Promise<string>;
}

function ratingOf(turn: WidgetTurn, words: Texts, { rate }: TurnActions) {
  const remark = element('span', { class: 'quiet', role: 'status' });
  const thumbs = (['up', 'down'] as const).map((rating) => {
    const thumb = button(`thumb ${rating}`, words[rating], icon('thumb'), async () => {
      remark.textContent = await rate(rating).catch(() => words.unrated);
      showPressed();
    });
    return { rating, thumb };
  });
  const showPressed = () => {
    for (const { rating, thumb } of thumbs) thumb.ariaPressed = String(rating === turn.rating);
  };
  showPressed();
  return element('div', { class: 'rating' }, ...thumbs.map(({ thumb }) => thumb), remark);
}

/** Fills the article of a turn again. */
function fillTurn(article: HTMLElement, turn: WidgetTurn, words: Texts, actions: TurnActions) {
  const { question, text, sources, state } = turn;
  const list = sources.length > 0 ? sourcesOf(sources, words) : undefined;
  const mark = (index: number): Node => {
    const documents = byDocument(sources);
    const cited = documents.findIndex((own) => own.some((source) => source.index === index));
    const title = documents[cited]?.[0]?.title;
    const label = `${words.source} ${index}${title === undefined ? '' : `: ${title}`}`;
    const found = button('mark', label, String(index), () => {
      const place = list?.children[cited]?.querySelector('details');
      if (!place) return;
      place.open = true;
      place.querySelector('summary')?.focus();
    });
    found.disabled = cited < 0;
    return found;
  };
  const answer = element(
    'div',
    { class: 'answer' },
    ...renderAnswer(shownText(text, sources), mark),
  );
  if (state === 'waiting' && text === '')
    answer.append(element('p', { class: 'quiet' }, words.searching));
  if (list && state === 'done') answer.append(list);
  if (turn.runId && state === 'done') answer.append(ratingOf(turn, words, actions));
  if (state !== 'waiting' && state !== 'done') {
    const retry = element('button', { type: 'button', class: 'plain' }, words.retry);
    retry.addEventListener('click', actions.retry);
    answer.append(
      element('p', { class: 'failure' }, words[state]),
      ...(state === 'refused' ? [] : [retry]),
    );
  }
  article.setAttribute('aria-busy', String(state === 'waiting'));
  article.replaceChildren(element('p', { class: 'question' }, question), answer);
}

/**
 * Shows the turns in `log`. @returns the conversation, and a function that shows example questions
 */
function createLog(settings: PanelSettings, words: Texts, log: HTMLElement) {
  const welcome = element('p', { class: 'welcome' }, words.welcome);
  const examples = element('div', {
    class: 'examples',
    role: 'group',
    'aria-label': words.examples,
  });
  const articles = new Map<WidgetTurn, HTMLElement>();

  const scrollToLast = () => {
    log.scrollTop = [...articles.values()].at(-1)?.offsetTop ?? 0;
  };

  /** The pressed button disappears, so the focus moves. */
  function ask(question: string, again?: WidgetTurn) {
    conversation.ask(question, again);
    log.focus();
  }

  function show(turn: WidgetTurn) {
    const known = articles.get(turn);
    const article = known ?? element('article');
    articles.set(turn, article);
    fillTurn(article, turn, words, {
      retry: () => ask(turn.question, turn),
      rate: (rating) => conversation.rate(turn, rating),
    });
    if (known) return;
    log.append(article);
    scrollToLast();
  }

  function showAll() {
    articles.clear();
    log.replaceChildren(welcome, examples);
    for (const turn of conversation.turns) show(turn);
  }

  const conversation = startChat(settings, (turn) => {
    if (conversation.turns.includes(turn)) show(turn);
  });
  showAll();

  async function showExamples() {
    for (const question of await loadSuggestions(settings)) {
      const example = element('button', { type: 'button', class: 'example' }, question);
      example.addEventListener('click', () => ask(question));
      examples.append(example);
    }
  }
  return { conversation, showAll, showExamples, scrollToLast };
}

function createForm({ field: label, send }: Texts, onQuestion: (question: string) => void) {
  const field = element('textarea', {
    rows: '1',
    maxlength: '2000',
    'aria-label': label,
    placeholder: label,
  });
  const submit = () => {
    const question = field.value.trim();
    field.focus();
    if (question === '') return;
    field.value = '';
    onQuestion(question);
  };
  const form = element('form', {}, field, button('send', send, icon('send'), submit));
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    submit();
  });
  return { form, field };
}

export function openWidget(root: ShadowRoot, settings: PanelSettings): void {
  const [language, words] = Object.entries(texts).find(([known]) =>
    settings.language.startsWith(known),
  ) ?? ['en', texts.en];
  const name = settings.agentName || words.title;
  const launcher = button('launcher', words.open, icon('chat'), open);
  const log = element('div', {
    class: 'log',
    role: 'log',
    'aria-live': 'polite',
    'aria-label': words.conversation,
    tabindex: '0',
  });
  const { conversation, showAll, showExamples, scrollToLast } = createLog(settings, words, log);
  const { form, field } = createForm(words, (question) => conversation.ask(question));
  const startAfresh = () => {
    conversation.clear();
    showAll();
    field.focus();
  };
  const header: HTMLElement = element(
    'header',
    {},
    element('h2', {}, name),
    button('tool', words.fresh, icon('fresh'), startAfresh),
    button('tool', words.close, icon('close'), () => panel.close()),
  );
  const panel = element('dialog', { lang: language, 'aria-label': name }, header, log, form);
  let isFirst = true;

  function open() {
    if (isFirst) void showExamples();
    isFirst = false;
    if (matchMedia('(max-width: 480px)').matches) panel.showModal();
    else panel.show();
    scrollToLast();
    field.focus();
  }
  launcher.lang = language;
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !isComposing(event)) panel.close();
  });
  // Keys typed here must not trigger shortcuts of the page.
  for (const type of ['keydown', 'keypress', 'keyup'])
    panel.addEventListener(type, (event) => event.stopPropagation());
  panel.addEventListener('close', () => {
    conversation.stop();
    launcher.focus();
  });
  root.append(panel, launcher);
}

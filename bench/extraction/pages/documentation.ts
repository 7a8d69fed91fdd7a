/** Pages after the markup of hosted documentation: Mintlify, MkDocs Material, GitBook, ReadMe.io, Sphinx, a README on GitHub. */
import type { Page } from '../row.ts';

const mintlify: Page = {
  name: 'Mintlify',
  url: 'https://docs.fennel.example/payments/payouts',
  html: `<!DOCTYPE html><html lang="en" class="light"><head><title>Payouts - Fennel</title><meta property="og:title" content="Payouts - Fennel"/><meta property="og:site_name" content="Fennel"/>
<link rel="canonical" href="https://docs.fennel.example/payments/payouts"/><style>.sr-only{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style></head>
<body class="antialiased"><div id="__next"><div id="banner" class="fixed top-0"><p>We raised a round. <a href="/blog">Read the news</a></p><button aria-label="Dismiss banner">×</button></div>
<div id="navbar" class="z-30 fixed lg:sticky top-0"><a href="/" class="sr-only">Fennel home page</a><button id="search-bar-entry">Search or ask... <span>⌘K</span></button><ul><li><a href="https://app.fennel.example">Dashboard</a></li></ul></div>
<div class="max-w-8xl"><div id="sidebar" class="hidden lg:block fixed"><div id="navigation-items"><h5 id="sidebar-title">Money in</h5><ul id="sidebar-group"><li><a href="/payments/cards">Accept cards</a></li><li><a href="/payments/payouts">Payouts</a></li></ul></div></div>
<div id="content-container"><div class="flex flex-row-reverse"><div id="content-side-layout" class="hidden xl:flex"><div id="table-of-contents"><div>On this page</div><ul><li><a href="#schedule">Schedule</a></li><li><a href="#faq">FAQ</a></li></ul></div></div>
<div id="content-area" class="relative grow"><header id="header" class="relative"><div class="h-5 text-primary text-sm font-semibold eyebrow">Money out</div><div class="flex"><h1 id="page-title" class="inline-block text-2xl">Payouts</h1>
<div id="page-context-menu"><button id="page-context-menu-button" aria-label="Copy page"><span>Copy page</span></button><button aria-haspopup="menu" aria-expanded="false" aria-label="More actions"></button></div></div><div class="mt-2 text-lg prose"><p>Send balances to bank accounts, every day or when you ask.</p></div></header>
<div class="mdx-content relative mt-8 prose" id="content"><span data-as="p">A payout moves your <em>available</em> balance.</span>
<h2 class="flex whitespace-pre-wrap group font-semibold" id="schedule"><div class="absolute" tabindex="-1"><a href="#schedule" class="-ml-10 flex" aria-label="Navigate to header">​<div class="w-6 h-6"><svg></svg></div></a></div><span class="cursor-pointer">Schedule</span></h2>
<div class="callout my-4 px-5" data-callout-type="warning"><div class="mt-0.5 w-4" data-component-part="callout-icon"><svg aria-label="Warning"></svg></div><div class="text-sm" data-component-part="callout-content"><span data-as="p">Payouts pause on bank holidays of the receiving country.</span></div></div>
<div class="tabs tabs tab-container"><ul data-component-part="tabs-list" role="tablist" class="not-prose"><li class="cursor-pointer"><div role="tab" aria-selected="true" id="tab-daily" aria-controls="panel-daily">Daily</div></li><li><div role="tab" aria-selected="false" id="tab-manual" aria-controls="panel-manual">On request</div></li></ul>
<div id="panel-daily" role="tabpanel" aria-labelledby="tab-daily" data-component-part="tab-content"><span data-as="p">Leaves at 06:00 UTC.</span></div><div id="panel-manual" role="tabpanel" aria-labelledby="tab-manual" class="hidden" data-component-part="tab-content"><span data-as="p">Call the endpoint below; it arrives within 40 minutes.</span></div></div>
<div class="code-group"><div role="tablist" data-component-part="code-group-tab-bar"><button role="tab" id="cg-0" aria-controls="cgp-0">cURL</button><button role="tab" id="cg-1" aria-controls="cgp-1">Ruby</button></div>
<div role="tabpanel" id="cgp-0"><button aria-label="Copy the contents from the code block">Copy</button><pre class="shiki shiki-themes" language="bash"><code language="bash"><span class="line"><span>curl https://api.fennel.example/v1/payouts \\</span></span>
<span class="line"><span>  -d amount=1900</span></span></code></pre></div><div role="tabpanel" id="cgp-1" hidden=""><pre class="shiki" language="ruby"><code language="ruby"><span class="line"><span>Fennel::Payout.create(amount: 1900)</span></span></code></pre></div></div>
<div role="list" class="steps ml-3.5 mt-10"><div role="listitem" class="step group/step relative"><div contenteditable="false" data-component-part="step-number" class="absolute"><div class="size-7">1</div></div><div class="w-full"><p data-component-part="step-title" class="mt-2 font-semibold">Verify the account</p><div data-component-part="step-content"><span data-as="p">Two small deposits prove it is yours.</span></div></div></div><div role="listitem" class="step"><div data-component-part="step-number"><div>2</div></div><div><p data-component-part="step-title">Set a threshold</p><div><span data-as="p">Anything from 25 EUR.</span></div></div></div></div>
<div class="primitive-param-field border-gray-100"><div class="flex" id="param-amount"><div class="flex-1"><div data-component-part="field-name">amount</div><div data-component-part="field-info-pill">integer</div><div>required</div></div></div><div class="mt-4"><p>In the smallest unit of the currency.</p></div></div>
<h2 id="faq"><span>FAQ</span></h2><div class="accordion border"><button aria-expanded="false" aria-controls="why-smaller accordion children" class="accordion-trigger"><p data-component-part="accordion-title">Why is my payout smaller?</p></button><div id="why-smaller accordion children" role="region" class="hidden"><span data-as="p">Chargebacks of the week are taken off first.</span></div></div>
<a class="card block" href="/payments/reports"><div class="px-6"><h2 data-component-part="card-title">Payout reports</h2><div data-component-part="card-content"><span>Match payouts with invoices.</span></div></div></a></div>
<div id="feedback-form" class="feedback-toolbar"><p>Was this page helpful?</p><button>Yes</button><button>No</button><a href="https://github.com/fennel/docs/edit/main/payouts.mdx">Suggest edits</a><a href="https://github.com/fennel/docs/issues/new">Raise issue</a></div>
<div id="pagination"><a href="/payments/cards"><span>Accept cards</span><span>Previous</span></a><a href="/payments/refunds"><span>Give refunds</span><span>Next</span></a></div>
<footer id="footer"><a href="https://x.com/fennel">x</a><a href="https://mintlify.example">Powered by Mintlify</a></footer></div></div></div></div>
<div id="chat-assistant-sheet" class="fixed" aria-hidden="true"><div>Assistant: responses are generated using AI.</div></div></div></body></html>`,
  keep: [
    'Payouts',
    'Send balances to bank accounts',
    'A payout moves your available balance',
    'Schedule',
    'Payouts pause on bank holidays',
    'Daily',
    'Leaves at 06:00 UTC',
    'On request',
    'it arrives within 40 minutes',
    'cURL',
    '-d amount=1900',
    'Ruby',
    'Fennel::Payout.create(amount: 1900)',
    'Verify the account',
    'Two small deposits prove it is yours',
    'Set a threshold',
    'Anything from 25 EUR',
    'amount',
    'In the smallest unit of the currency',
    'Why is my payout smaller?',
    'Chargebacks of the week',
    'Match payouts with invoices',
  ],
  drop: [
    'We raised a round',
    'Accept cards',
    'Copy page',
    'On this page',
    'Was this page helpful',
    'Suggest edits',
    'Raise issue',
    'Give refunds',
    'Powered by Mintlify',
    'responses are generated using AI',
    'Search or ask',
    'Dashboard',
    'Fennel home page',
    'Navigate to header',
  ],
  keepMarkdown: [
    '# Payouts',
    '## Schedule',
    '```bash\ncurl https://api.fennel.example/v1/payouts \\\n  -d amount=1900\n```',
    '```ruby',
    '(https://docs.fennel.example/payments/reports)',
  ],
};

const material: Page = {
  name: 'MkDocs Material',
  url: 'https://ops.gannet.example/backups/',
  html: `<!doctype html><html lang="en" class="no-js"><head><meta charset="utf-8"><title>Backups - Gannet Operations</title><link rel="canonical" href="https://ops.gannet.example/backups/"></head>
<body dir="ltr" data-md-color-scheme="default"><input class="md-toggle" data-md-toggle="drawer" type="checkbox" id="__drawer" autocomplete="off"><label class="md-overlay" for="__drawer"></label>
<div data-md-component="skip"><a href="#backups" class="md-skip">Skip to content</a></div><div data-md-component="announce"><aside class="md-banner"><div class="md-banner__inner">Office hours on Thursday</div></aside></div>
<header class="md-header" data-md-component="header"><nav class="md-header__inner" aria-label="Header"><a href=".." class="md-header__button md-logo">Gannet Operations</a><div class="md-search" role="dialog"><form class="md-search__form"><input class="md-search__input" placeholder="Search"></form></div></nav></header>
<div class="md-container"><nav class="md-tabs"><ul class="md-tabs__list"><li class="md-tabs__item"><a href="../restore/">Restore drills</a></li></ul></nav><main class="md-main"><div class="md-main__inner md-grid">
<div class="md-sidebar md-sidebar--primary"><div class="md-sidebar__scrollwrap"><nav class="md-nav"><ul class="md-nav__list"><li class="md-nav__item"><a href="../restore/" class="md-nav__link">Restore drills</a></li></ul></nav></div></div>
<div class="md-sidebar md-sidebar--secondary"><nav class="md-nav md-nav--secondary" aria-label="Table of contents"><label class="md-nav__title">Table of contents</label><ul class="md-nav__list"><li><a href="#what" class="md-nav__link">What is saved</a></li></ul></nav></div>
<div class="md-content" data-md-component="content"><article class="md-content__inner md-typeset"><a href="https://github.com/gannet/ops/edit/master/docs/backups.md" title="Edit this page" class="md-content__button md-icon"><svg></svg></a>
<h1 id="backups">Backups<a class="headerlink" href="#backups" title="Permanent link">&para;</a></h1><p>Every night at 02:15 a copy leaves the building.</p><h2 id="what">What is saved<a class="headerlink" href="#what" title="Permanent link">&para;</a></h2>
<div class="admonition note"><p class="admonition-title">Note</p><p>Caches are not saved.</p></div><details class="question"><summary>How long are copies kept?</summary><p>Thirty-five days, then one of each month for two years.</p></details>
<div class="tabbed-set tabbed-alternate" data-tabs="1:2"><input checked="checked" id="__tabbed_1_1" name="__tabbed_1" type="radio" /><input id="__tabbed_1_2" name="__tabbed_1" type="radio" /><div class="tabbed-labels"><label for="__tabbed_1_1">Debian</label><label for="__tabbed_1_2">Alpine</label></div>
<div class="tabbed-content"><div class="tabbed-block"><div class="highlight"><pre><span></span><code><a id="__codelineno-0-1" name="__codelineno-0-1" href="#__codelineno-0-1"></a>apt<span class="w"> </span>install<span class="w"> </span>gannet-backup
</code></pre></div></div><div class="tabbed-block"><div class="highlight"><pre><span></span><code>apk add gannet-backup
</code></pre></div></div></div></div>
<div class="language-yaml highlight"><table class="highlighttable"><tr><th colspan="2" class="filename"><span class="filename">gannet.yml</span></th></tr><tr><td class="linenos"><div class="linenodiv"><pre><span></span><span class="normal">1</span>
<span class="normal">2</span></pre></div></td><td class="code"><div><pre><span></span><code><span class="nt">target</span><span class="p">:</span><span class="w"> </span>s3://gannet
<span class="nt">keep</span><span class="p">:</span><span class="w"> </span>35
</code></pre></div></td></tr></table></div>
<dl><dt><code>target</code></dt><dd><p>Where copies go.</p></dd><dt><code>keep</code></dt><dd><p>Days until a copy is deleted.</p></dd></dl>
<p>Press <span class="keys"><kbd class="key-control">Ctrl</kbd><span>+</span><kbd class="key-c">C</kbd></span> to stop.<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup></p><ul class="task-list"><li class="task-list-item"><label class="task-list-control"><input type="checkbox" disabled checked/><span class="task-list-indicator"></span></label> Test a restore</li></ul>
<div class="footnote"><hr /><ol><li id="fn:1"><p>The copy under way is lost then.&#160;<a class="footnote-backref" href="#fnref:1" title="Jump back">&#8617;</a></p></li></ol></div>
<aside class="md-source-file"><span class="md-source-file__fact">Last update: <span class="git-revision-date-localized-plugin">April 2, 2025</span></span></aside>
<form class="md-feedback" name="feedback" hidden><fieldset><legend class="md-feedback__title">Was this page helpful?</legend><div class="md-feedback__inner"><button>This page was helpful</button></div></fieldset></form></article></div></div></main>
<footer class="md-footer"><nav class="md-footer__inner md-grid" aria-label="Footer"><a href="../restore/" class="md-footer__link md-footer__link--next">Next: Restore drills</a></nav><div class="md-footer-meta">Made with Material for MkDocs</div></footer></div>
<div class="md-consent" data-md-component="consent" id="__consent" hidden><form class="md-consent__form"><h4>Cookie consent</h4><p>We use cookies to recognize your repeated visits.</p><button>Accept</button></form></div></body></html>`,
  keep: [
    'Backups',
    'Every night at 02:15',
    'What is saved',
    'Caches are not saved',
    'How long are copies kept?',
    'one of each month for two years',
    'Debian',
    'apt install gannet-backup',
    'Alpine',
    'apk add gannet-backup',
    'gannet.yml',
    'target: s3://gannet keep: 35',
    'Where copies go',
    'Days until a copy is deleted',
    'Press Ctrl+C to stop',
    'Test a restore',
    'The copy under way is lost then',
  ],
  drop: [
    'Skip to content',
    'Office hours on Thursday',
    'Restore drills',
    'Table of contents',
    'Was this page helpful',
    'Cookie consent',
    'Made with Material',
    'Edit this page',
    '¶',
    '↩',
    'Search',
  ],
  keepMarkdown: ['```yaml\ntarget: s3://gannet\nkeep: 35\n```', '- [x] Test a restore', '**Debian**', '# Backups\n'],
};

const gitbook: Page = {
  name: 'GitBook',
  url: 'https://wiki.tern.example/handbook/leave',
  html: `<!DOCTYPE html><html lang="en" class="tint"><head><title>Leave and holidays | Tern Handbook</title><meta property="og:title" content="Leave and holidays | Tern Handbook"></head><body><header id="site-header" class="sticky"><a href="/">Tern Handbook</a><button aria-label="Open search">Ask or search… Ctrl k</button></header>
<div class="site-body"><aside data-testid="table-of-contents" id="table-of-contents" class="group"><ul><li><a href="/handbook/pay">Pay days</a></li><li><a href="/handbook/leave">Leave and holidays</a></li></ul><a href="https://gitbook.example">Powered by GitBook</a></aside>
<main class="relative min-w-0 flex-1"><header class="max-w-3xl mx-auto"><nav aria-label="Breadcrumb"><ol class="flex"><li><a href="/handbook">People team</a></li></ol></nav><div class="flex"><h1 class="text-4xl">Leave and holidays</h1><button>Copy</button></div><p class="text-lg text-tint">What you may take, and how to ask.</p></header>
<div class="grid whitespace-pre-wrap"><h2 id="annual-leave" class="heading flex"><div class="hash grid"><a href="#annual-leave" aria-label="Direct link to heading" class="inline-flex">#</a></div><div class="flex-1">Annual leave</div></h2><p class="mx-auto">Everybody has 28 days, and the day of the local fair.</p>
<div class="hint transition-colors" role="note"><svg class="gb-icon"></svg><div class="flex-1"><p>Ask two weeks before.</p></div></div>
<div class="mx-auto max-w-3xl tab-box"><div role="tablist" aria-orientation="horizontal"><button role="tab" aria-selected="true" aria-controls="tabpanel-1" id="tab-1">Full time</button><button role="tab" aria-controls="tabpanel-2" id="tab-2">Part time</button></div><div role="tabpanel" id="tabpanel-1" aria-labelledby="tab-1"><p>28 days.</p></div><div role="tabpanel" id="tabpanel-2" aria-labelledby="tab-2" class="hidden"><p>Days in proportion, rounded up to half days.</p></div></div>
<details class="group/expandable" id="sick-leave"><summary>What if I fall ill on holiday?<svg></svg></summary><div class="expandable-body"><p>Send the doctor's note within five days; the days are given back.</p></div></details>
<div role="table" class="w-full"><div role="rowgroup"><div role="row"><div role="columnheader">Holiday</div><div role="columnheader">Date</div></div></div><div role="rowgroup"><div role="row"><div role="cell">Fair day</div><div role="cell">second Monday of June</div></div><div role="row"><div role="cell">Founders' day</div><div role="cell">3 October</div></div></div></div>
<figure><img src="/calendar.png" alt=""><figcaption><p>The calendar shows who is away.</p></figcaption></figure></div>
<div class="flex flex-row page-pager"><a href="/handbook/pay"><span>Previous</span><span>Pay days</span></a><a href="/handbook/travel"><span>Next</span><span>Travel costs</span></a></div><div class="flex"><p>Last updated <time datetime="2025-05-06T10:00:00Z">1 month ago</time></p></div><div><p>Was this helpful?</p><button aria-label="No">☹</button><button aria-label="Yes">☺</button></div></main>
<aside class="page-aside"><div>On this page</div><ul><li><a href="#annual-leave">Annual leave</a></li></ul></aside></div></body></html>`,
  keep: [
    'Leave and holidays',
    'What you may take, and how to ask',
    'Annual leave',
    'Everybody has 28 days',
    'Ask two weeks before',
    'Full time',
    'Part time',
    'rounded up to half days',
    'What if I fall ill on holiday?',
    'the days are given back',
    'Fair day',
    'second Monday of June',
    "Founders' day",
    'The calendar shows who is away',
  ],
  drop: [
    'Tern Handbook',
    'Ask or search',
    'Pay days',
    'Powered by GitBook',
    'People team',
    'Travel costs',
    'Was this helpful',
    'On this page',
    'Direct link to heading',
  ],
  keepMarkdown: ['## Annual leave\n', '| Fair day | second Monday of June |', '# Leave and holidays'],
};

const readme: Page = {
  name: 'ReadMe.io',
  url: 'https://developer.osprey.example/docs/paging',
  html: `<!DOCTYPE html><html lang="en"><head><title>Paging</title><meta property="og:title" content="Paging"><meta property="og:site_name" content="Osprey API"></head><body class="body-none theme-solid header-solid lumosity-normal hub-full"><div id="ssr-top"></div><div id="ssr-main"><div class="App ThemeContext">
<header class="rm-Header Header_3"><a class="rm-Logo" href="/"><img alt="Osprey API"></a><a href="#content" class="Header-jumpTo">Jump to Content</a><nav><a class="Header-link" href="/reference">API Reference</a><a href="/changelog">What is new</a></nav></header>
<main class="rm-Guides rm-Container rm-Container_flex" id="Docs"><nav aria-label="Secondary navigation" class="rm-Sidebar hub-sidebar-content" id="hub-sidebar"><section class="Sidebar-listWrapper"><h2 class="Sidebar-heading">Basics of calls</h2><ul><li><a href="/docs/errors">Error codes</a></li></ul></section></nav>
<article class="rm-Article" id="content"><header id="content-head"><div class="row clearfix"><div class="col-xs-9"><h1>Paging</h1><div class="markdown-body excerpt"><p>Long lists come in pages of one hundred.</p></div></div><div class="col-xs-3" id="content-head-actions"><a class="suggestEdits" href="/edit/paging"><i class="icon"></i><span>Suggest Edits</span></a></div></div></header>
<div class="grid-container-fluid" id="content-container"><section class="content-body grid-75"><div class="rm-Markdown markdown-body" data-testid="RDMD"><p>Each answer holds a cursor. Send it back as <code class="rdmd-code lang-" data-lang="" name="">after</code>.</p>
<h2 class="heading heading-2 header-scroll"><div class="heading-anchor anchor waypoint" id="cursors"></div><div class="heading-text"><p>Cursors</p></div><a aria-label="Skip link to Cursors" class="heading-anchor-icon fa fa-anchor" href="#cursors"></a></h2><p>A cursor is good for ten minutes.</p>
<div class="CodeTabs CodeTabs_initial theme-light"><div class="CodeTabs-toolbar"><button type="button" value="shell">cURL</button><button type="button" value="php">PHP</button></div><div class="CodeTabs-inner"><pre><button aria-label="Copy Code" class="rdmd-code-copy fa"></button><code class="rdmd-code lang-shell theme-light" data-lang="shell" name=""><span class="cm-s-neo">curl 'https://api.osprey.example/birds?after=b3'</span></code></pre><pre><button aria-label="Copy Code" class="rdmd-code-copy fa"></button><code class="rdmd-code lang-php theme-light" data-lang="php" name=""><span class="cm-s-neo">$birds = $api->birds(['after' => 'b3']);</span></code></pre></div></div>
<blockquote class="callout callout_warn" theme="🚧"><h3 class="callout-heading false"><span class="callout-icon">🚧</span><p>Do not guess cursors</p></h3><p>A guessed cursor answers 410.</p></blockquote>
<div class="rdmd-table"><div class="rdmd-table-inner"><table><thead><tr><th>Field</th><th>Meaning</th></tr></thead><tbody><tr><td><code>after</code></td><td>cursor of the last page</td></tr><tr><td><code>limit</code></td><td>1 to 100</td></tr></tbody></table></div></div></div>
<div class="UpdatedAt"><p class="DateLine"><i class="icon icon-watch"></i>Updated 3 months ago</p></div><hr class="NextStepsDivider"><nav aria-label="Pagination Controls" class="PaginationControlsqfuQPg"><a href="/docs/errors">Error codes</a></nav><div class="PageThumbs"><div class="PageThumbs-helpful">Did this page help you?</div><button>Yes</button><button>No</button></div></section>
<section class="content-toc grid-25"><nav aria-label="Table of contents"><ul class="toc-list"><li><a href="#"><i></i>Table of Contents</a></li><li class="toc-children"><ul><li><a href="#cursors">Cursors</a></li></ul></li></ul></nav></section></div></article></main></div></div></body></html>`,
  keep: [
    'Paging',
    'Long lists come in pages of one hundred',
    'Each answer holds a cursor',
    'Cursors',
    'A cursor is good for ten minutes',
    'cURL',
    "curl 'https://api.osprey.example/birds?after=b3'",
    'PHP',
    "$birds = $api->birds(['after' => 'b3']);",
    'Do not guess cursors',
    'A guessed cursor answers 410',
    'cursor of the last page',
  ],
  drop: [
    'Jump to Content',
    'What is new',
    'Basics of calls',
    'Error codes',
    'Suggest Edits',
    'Did this page help you',
    'Table of Contents',
    'Skip link to',
  ],
  keepMarkdown: ['# Paging', '## Cursors\n', '```shell', '```php', '| `limit` | 1 to 100 |'],
};

const sphinx: Page = {
  name: 'Sphinx (Read the Docs)',
  url: 'https://curlew.readthedocs.example/en/stable/client.html',
  html: `<!DOCTYPE html><html class="writer-html5" lang="en" data-content_root="./"><head><title>Client &mdash; curlew 2.4 documentation</title><link rel="next" title="Errors" href="errors.html" /></head><body class="wy-body-for-nav"><div class="wy-grid-for-nav"><nav data-toggle="wy-nav-shift" class="wy-nav-side"><div class="wy-side-scroll"><div class="wy-side-nav-search"><a href="index.html" class="icon icon-home">curlew</a><div role="search"><form id="rtd-search-form"><input type="text" placeholder="Search docs"/></form></div></div><div class="wy-menu wy-menu-vertical"><p class="caption"><span class="caption-text">User guide chapters</span></p><ul><li class="toctree-l1"><a href="errors.html">Errors</a></li></ul></div></div></nav>
<section data-toggle="wy-nav-shift" class="wy-nav-content-wrap"><nav class="wy-nav-top" aria-label="Mobile navigation menu"><a href="index.html">curlew</a></nav><div class="wy-nav-content"><div class="rst-content"><div role="navigation" aria-label="Page navigation"><ul class="wy-breadcrumbs"><li><a href="index.html" class="icon icon-home"></a></li><li class="breadcrumb-item active">Client</li><li class="wy-breadcrumbs-aside"><a href="_sources/client.rst.txt" rel="nofollow"> View page source</a></li></ul><hr/></div>
<div role="main" class="document" itemscope="itemscope"><div itemprop="articleBody"><section id="client"><span id="client-ref"></span><h1>Client<a class="headerlink" href="#client" title="Link to this heading"></a></h1><p>The client holds a pool of connections.</p>
<nav class="contents local" id="contents"><ul class="simple"><li><p><a class="reference internal" href="#opening-a-pool" id="id1">Opening a pool</a></p></li><li><p><a class="reference internal" href="#reference" id="id2">Reference</a></p></li></ul></nav>
<section id="opening-a-pool"><h2><a class="toc-backref" href="#id1" role="doc-backlink">Opening a pool</a><a class="headerlink" href="#opening-a-pool" title="Link to this heading">¶</a></h2><div class="highlight-python3 notranslate"><div class="highlight"><pre><span></span><span class="kn">from</span> <span class="nn">curlew</span> <span class="kn">import</span> <span class="n">Pool</span>

<span class="n">pool</span> <span class="o">=</span> <span class="n">Pool</span><span class="p">(</span><span class="n">size</span><span class="o">=</span><span class="mi">8</span><span class="p">)</span>
</pre></div></div><div class="admonition warning"><p class="admonition-title">Warning</p><p>A pool must not be shared between processes.</p></div>
<div class="versionadded"><p><span class="versionmodified added">Added in version 2.1: </span>Pools close themselves.</p></div></section>
<section id="reference"><h2>Reference<a class="headerlink" href="#reference" title="Link to this heading">¶</a></h2><dl class="py method"><dt class="sig sig-object py" id="curlew.Pool.acquire"><span class="sig-prename descclassname"><span class="pre">Pool.</span></span><span class="sig-name descname"><span class="pre">acquire</span></span><span class="sig-paren">(</span><em class="sig-param"><span class="n"><span class="pre">timeout</span></span><span class="o"><span class="pre">=</span></span><span class="default_value"><span class="pre">5.0</span></span></em><span class="sig-paren">)</span><a class="reference internal" href="_modules/curlew.html#Pool.acquire"><span class="viewcode-link"><span class="pre">[source]</span></span></a><a class="headerlink" href="#curlew.Pool.acquire" title="Link to this definition">¶</a></dt><dd><p>Waits for a free connection.</p><dl class="field-list simple"><dt class="field-odd">Parameters<span class="colon">:</span></dt><dd class="field-odd"><p><strong>timeout</strong> – seconds to wait before giving up</p></dd><dt class="field-even">Raises<span class="colon">:</span></dt><dd class="field-even"><p><strong>Exhausted</strong> – when none became free</p></dd></dl></dd></dl>
<table class="docutils align-default"><thead><tr class="row-odd"><th class="head"><p>State</p></th><th class="head"><p>Meaning</p></th></tr></thead><tbody><tr class="row-even"><td><p>idle</p></td><td><p>waits in the pool</p></td></tr></tbody></table></section></section></div></div>
<footer><div class="rst-footer-buttons" role="navigation" aria-label="Footer"><a href="errors.html" class="btn btn-neutral float-right" title="Errors" accesskey="n" rel="next">Next <span class="fa fa-arrow-circle-right"></span></a></div><hr/><div role="contentinfo"><p>&#169; Copyright 2025, the curlew people.</p></div>Built with <a href="https://www.sphinx-doc.org/">Sphinx</a></footer></div></div></section></div><div class="rst-versions" data-toggle="rst-versions" role="note"><span class="rst-current-version">Versions: stable</span></div></body></html>`,
  keep: [
    'Client',
    'The client holds a pool of connections',
    'Opening a pool',
    'from curlew import Pool',
    'pool = Pool(size=8)',
    'A pool must not be shared between processes',
    'Added in version 2.1',
    'Pools close themselves',
    'Pool.acquire(timeout=5.0)',
    'Waits for a free connection',
    'seconds to wait before giving up',
    'when none became free',
    'waits in the pool',
  ],
  drop: [
    'Search docs',
    'User guide chapters',
    'View page source',
    '¶',
    '[source]',
    'the curlew people',
    'Built with',
    'Versions: stable',
    'Errors',
  ],
  keepMarkdown: ['```python3\nfrom curlew import Pool\n\npool = Pool(size=8)\n```', '| idle | waits in the pool |'],
};

const github: Page = {
  name: 'README on GitHub',
  url: 'https://github.com/knot/reef',
  html: `<!DOCTYPE html><html lang="en" data-color-mode="auto"><head><title>GitHub - knot/reef: Knots for ropes of bytes</title><meta property="og:title" content="GitHub - knot/reef: Knots for ropes of bytes"></head><body class="logged-out"><div class="position-relative header-wrapper"><a href="#start-of-content" class="px-2 py-4 color-bg-accent-emphasis show-on-focus js-skip-to-content">Skip to content</a><header class="HeaderMktg" role="banner"><h2 class="sr-only">Navigation Menu</h2><a href="/login">Sign in</a></header></div>
<div class="application-main"><main id="js-repo-pjax-container"><div id="repository-container-header"><strong itemprop="name"><a href="/knot/reef">reef</a></strong><ul><li><a href="/login">Star 512</a></li></ul></div><turbo-frame id="repo-content-turbo-frame"><div class="Layout"><div class="Layout-main"><react-partial><table aria-labelledby="folders-and-files"><tbody><tr><td><a href="/knot/reef/tree/main/src">src</a></td><td><a href="/knot/reef/commit/1">fix a typo in the makefile</a></td></tr></tbody></table></react-partial>
<div id="readme"><article class="markdown-body entry-content container-lg" itemprop="text"><div class="markdown-heading" dir="auto"><h1 tabindex="-1" class="heading-element" dir="auto">reef</h1><a id="user-content-reef" class="anchor" aria-label="Permalink: reef" href="#reef"><svg class="octicon octicon-link"></svg></a></div>
<p dir="auto"><a href="https://ci.example/knot"><img src="https://camo.example/b.svg" alt="build passing"></a></p><p dir="auto">Ties byte ropes so that they hold.</p><div class="markdown-heading" dir="auto"><h2 tabindex="-1" class="heading-element" dir="auto">Table of contents</h2><a id="user-content-table-of-contents" class="anchor" href="#table-of-contents"></a></div><ul dir="auto"><li><a href="#tie-a-knot">Tie a knot</a></li><li><a href="#licence">Licence</a></li></ul>
<div class="markdown-heading" dir="auto"><h2 tabindex="-1" class="heading-element" dir="auto">Tie a knot</h2><a id="user-content-tie-a-knot" class="anchor" aria-label="Permalink: Tie a knot" href="#tie-a-knot"><svg></svg></a></div>
<div class="highlight highlight-source-rust notranslate position-relative overflow-auto" dir="auto" data-snippet-clipboard-copy-content="let k = reef::tie(&amp;rope)?;"><pre><span class="pl-k">let</span> k <span class="pl-c1">=</span> reef<span class="pl-kos">::</span><span class="pl-en">tie</span><span class="pl-kos">(</span><span class="pl-c1">&amp;</span>rope<span class="pl-kos">)</span>?<span class="pl-kos">;</span></pre><div class="zeroclipboard-container"><clipboard-copy aria-label="Copy" value="x"><svg></svg></clipboard-copy></div></div>
<div class="markdown-alert markdown-alert-important" dir="auto"><p class="markdown-alert-title" dir="auto"><svg></svg>Important</p><p dir="auto">Ropes above 4 GB need the feature <code>long</code>.</p></div><markdown-accessiblity-table><table><thead><tr><th>Knot</th><th align="right">Strength</th></tr></thead><tbody><tr><td>bowline</td><td align="right">0.7</td></tr></tbody></table></markdown-accessiblity-table>
<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled> Wet ropes</li></ul><div class="markdown-heading" dir="auto"><h2 tabindex="-1" class="heading-element" dir="auto">Licence</h2><a id="user-content-licence" class="anchor" href="#licence"></a></div><p dir="auto">Mozilla Public License, version 2.<sup><a href="#user-content-fn-1-x" id="user-content-fnref-1-x" data-footnote-ref="" aria-describedby="footnote-label">1</a></sup></p>
<section data-footnotes="" class="footnotes"><h2 id="footnote-label" class="sr-only">Footnotes</h2><ol dir="auto"><li id="user-content-fn-1-x"><p dir="auto">Except the drawings. <a href="#user-content-fnref-1-x" data-footnote-backref="" class="data-footnote-backref" aria-label="Back to reference 1"><g-emoji class="g-emoji" alias="leftwards_arrow_with_hook">↩</g-emoji></a></p></li></ol></section></article></div></div>
<div class="Layout-sidebar"><h2>About</h2><p>Knots for ropes of bytes</p><h2>Releases 14</h2><a href="/knot/reef/releases">v1.9</a></div></div></turbo-frame></main></div><footer class="footer" role="contentinfo"><h2 class="sr-only">Footer</h2>© 2025 GitHub, Inc.</footer></body></html>`,
  keep: [
    'reef',
    'Ties byte ropes so that they hold',
    'Tie a knot',
    'let k = reef::tie(&rope)?;',
    'Ropes above 4 GB need the feature long',
    'bowline',
    '0.7',
    'Wet ropes',
    'Licence',
    'Mozilla Public License, version 2',
    'Except the drawings',
  ],
  drop: [
    'Skip to content',
    'Sign in',
    'Star 512',
    'fix a typo in the makefile',
    'Releases 14',
    'GitHub, Inc.',
    'Table of contents',
    'Navigation Menu',
    '↩',
  ],
  keepMarkdown: ['# reef\n', '```rust\nlet k = reef::tie(&rope)?;\n```', '- [ ] Wet ropes', '## Tie a knot\n'],
};

export const pages: readonly Page[] = [mintlify, material, gitbook, readme, sphinx, github];

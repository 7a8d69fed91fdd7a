/** A second set of pages written without a look at the parser, after the first one had been learned from. */
import type { Page } from '../row.ts';

const insurance: Page = {
  name: 'Insurance policy page in a portal',
  url: 'https://www.brant-versicherung.example/reise/leistungen',
  html: `<!doctype html><html lang="de-CH"><head><title>Leistungen der Reiseversicherung - Brant</title></head><body class="portal"><div id="meta"><a href="/login">Kundenportal</a><span class="lang"><a href="/fr">FR</a> <a href="/it">IT</a></span></div><div class="header-main"><img src="l.svg" alt="Brant"><ul class="mainnav"><li><a href="/auto">Auto</a></li><li><a href="/reise">Reise</a></li><li><a href="/haus">Haushalt</a></li></ul></div><div class="stage"><h1>Leistungen der Reiseversicherung</h1><p class="lead">Was bezahlt wird, wenn die Reise nicht stattfindet.</p><a class="cta" href="/reise/abschliessen">Jetzt abschliessen</a></div><div class="content-area"><div class="subnav"><ul><li><a href="/reise/leistungen">Leistungen</a></li><li><a href="/reise/praemien">Prämien</a></li><li><a href="/reise/schaden">Schaden melden</a></li></ul></div><div class="text"><h2>Annullierung</h2><p>Wir bezahlen bis 20'000 Franken, wenn Sie vor der Abreise erkranken.</p><div class="accordion"><div class="accordion__item"><h3 class="accordion__title"><a href="#" class="accordion__link">Gilt das auch für Angehörige?</a></h3><div class="accordion__panel" style="display:none"><p>Ja, für alle im selben Haushalt.</p></div></div><div class="accordion__item"><h3 class="accordion__title"><a href="#">Was ist nicht versichert?</a></h3><div class="accordion__panel" style="display:none"><ul><li>Streiks, die angekündigt waren</li><li>Reisen gegen ärztlichen Rat</li></ul></div></div></div><table><thead><tr><th></th><th>Basis</th><th>Plus</th></tr></thead><tbody><tr><th>Gepäck</th><td>2'000</td><td>5'000</td></tr><tr><th>Rückreise</th><td>–</td><td>unbegrenzt</td></tr></tbody></table><p><a href="/dok/avb.pdf">Allgemeine Bedingungen (PDF)</a></p></div><div class="teaserbox"><h4>Fragen?</h4><p>0800 11 22 33</p></div></div><div class="foot"><div class="cols"><div><h5>Brant</h5><a href="/jobs">Stellen</a><a href="/medien">Medien</a></div></div><p>© 2025 Brant Versicherungen AG</p></div></body></html>`,
  keep: [
    'Leistungen der Reiseversicherung',
    'wenn die Reise nicht stattfindet',
    'Annullierung',
    "bis 20'000 Franken",
    'Gilt das auch für Angehörige?',
    'für alle im selben Haushalt',
    'Was ist nicht versichert?',
    'Streiks, die angekündigt waren',
    'Gepäck',
    'unbegrenzt',
    'Allgemeine Bedingungen',
  ],
  drop: ['Kundenportal', 'Haushalt Reise', 'Prämien', 'Schaden melden', 'Stellen', 'Medien', '© 2025'],
  keepMarkdown: ["| Gepäck | 2'000 | 5'000 |", '### Gilt das auch für Angehörige?'],
};

const docusaurusLike: Page = {
  name: 'Antora component page',
  url: 'https://docs.pochard.example/server/2.1/install.html',
  html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Install :: Pochard Docs</title><link rel="canonical" href="https://docs.pochard.example/server/latest/install.html"></head><body class="article"><header class="header"><nav class="navbar"><div class="navbar-brand"><a class="navbar-item" href="/">Pochard Docs</a></div></nav></header><div class="body"><div class="nav-container" data-component="server"><aside class="nav"><div class="panels"><div class="nav-panel-menu is-active"><nav class="nav-menu"><h3 class="title"><a href="index.html">Server</a></h3><ul class="nav-list"><li class="nav-item"><a class="nav-link" href="upgrade.html">Upgrade</a></li></ul></nav></div><div class="nav-panel-explore"><div class="context"><span class="title">Server</span><span class="version">2.1</span></div></div></div></aside></div><main class="article"><div class="toolbar" role="navigation"><button class="nav-toggle"></button><a href="/" class="home-link"></a><nav class="breadcrumbs" aria-label="breadcrumbs"><ul><li><a href="index.html">Server</a></li><li><a href="install.html">Install</a></li></ul></nav><div class="edit-this-page"><a href="https://github.com/p/d/edit/v2.1/install.adoc">Edit this Page</a></div><div class="page-versions"><button class="version-menu-toggle" title="Show other versions of page">2.1</button><div class="version-menu"><a class="version" href="../2.2/install.html">2.2</a></div></div></div><div class="content"><aside class="toc sidebar" data-title="Contents" data-levels="2"><div class="toc-menu"></div></aside><article class="doc"><h1 class="page">Install</h1><div id="preamble"><div class="sectionbody"><div class="paragraph"><p>The server needs 4 GB of memory.</p></div></div></div><div class="sect1"><h2 id="_with_a_package"><a class="anchor" href="#_with_a_package"></a>With a package</h2><div class="sectionbody"><div class="olist arabic"><ol class="arabic"><li><p>Add the key:</p><div class="listingblock"><div class="content"><pre class="highlightjs highlight"><code class="language-console hljs" data-lang="console">$ pochard-key add</code></pre></div></div></li><li><p>Install it.</p></li></ol></div><div class="admonitionblock warning"><table><tbody><tr><td class="icon"><i class="fa icon-warning" title="Warning"></i></td><td class="content"><div class="paragraph"><p>Never run it as root.</p></div></td></tr></tbody></table></div><div class="hdlist"><table><tbody><tr><td class="hdlist1">port</td><td class="hdlist2"><p>Where it listens.</p></td></tr></tbody></table></div><table class="tableblock frame-all"><caption class="title">Table 1. Ports</caption><thead><tr><th class="tableblock">Port</th><th class="tableblock">Use</th></tr></thead><tbody><tr><td class="tableblock"><p class="tableblock">7070</p></td><td class="tableblock"><p class="tableblock">clients</p></td></tr></tbody></table></div></div><nav class="pagination"><span class="prev"><a href="index.html">Server overview</a></span><span class="next"><a href="upgrade.html">Upgrade</a></span></nav></article></div></main></div><footer class="footer"><p>This page was built using the Antora default UI.</p></footer></body></html>`,
  keep: [
    'Install',
    'The server needs 4 GB of memory',
    'With a package',
    'Add the key',
    '$ pochard-key add',
    'Install it',
    'Never run it as root',
    'port',
    'Where it listens',
    'Table 1. Ports',
    '7070',
    'clients',
  ],
  drop: ['Pochard Docs', 'Upgrade', 'Edit this Page', 'Contents', 'Server overview', 'built using'],
  keepMarkdown: [
    '# Install\n',
    '## With a package {#_with_a_package}',
    '   ```console\n   $ pochard-key add\n   ```',
    '| 7070 | clients |',
  ],
};

const nhs: Page = {
  name: 'Clinic page with expanders',
  url: 'https://www.clinic.example/conditions/sprain/',
  html: `<!doctype html><html lang="en"><head><title>Sprains - Clinic</title></head><body><div class="nhsuk-cookie-banner" id="cookiebanner"><div id="nhsuk-cookie-banner__message"><h2>Cookies on this site</h2><p>We've put some small files called cookies on your device.</p><button>I'm OK with analytics cookies</button><button>Do not use analytics cookies</button></div></div><a class="nhsuk-skip-link" href="#maincontent">Skip to main content</a><header class="nhsuk-header" role="banner"><a href="/">Clinic</a><form id="search"><input name="q"><button>Search</button></form></header><nav class="nhsuk-breadcrumb"><ol><li><a href="/">Home</a></li><li><a href="/conditions">Health A to Z</a></li></ol></nav><div class="nhsuk-width-container"><main id="maincontent"><article><div class="nhsuk-grid-row"><h1>Sprains</h1><section><p>A sprain gets better after about 2 weeks.</p><h2>How to treat it</h2><p>For the first days follow four steps:</p><ol><li><strong>Rest</strong> – stop any exercise.</li><li><strong>Ice</strong> – for 20 minutes.</li></ol><div class="nhsuk-do-dont-list"><h3 class="nhsuk-do-dont-list__label">Don't</h3><ul class="nhsuk-list nhsuk-list--cross"><li><svg aria-hidden="true"></svg>do not use heat packs</li></ul></div><div class="nhsuk-care-card nhsuk-care-card--urgent"><div class="nhsuk-care-card__heading-container"><h3 class="nhsuk-care-card__heading"><span role="text"><span class="nhsuk-u-visually-hidden">Urgent advice: </span>Get help from 111 if:</span></h3></div><div class="nhsuk-care-card__content"><ul><li>it feels worse after two days</li></ul></div></div><details class="nhsuk-details nhsuk-expander"><summary class="nhsuk-details__summary"><span class="nhsuk-details__summary-text">Treatment in hospital</span></summary><div class="nhsuk-details__text"><p>You may get an X-ray.</p></div></details></section><div class="nhsuk-review-date"><p class="nhsuk-body-s">Page last reviewed: 15 December 2023<br>Next review due: 15 December 2026</p></div></div></article></main></div><footer role="contentinfo"><ul><li><a href="/contact">Contact us</a></li></ul></footer></body></html>`,
  keep: [
    'Sprains',
    'gets better after about 2 weeks',
    'How to treat it',
    'Rest – stop any exercise',
    'Ice – for 20 minutes',
    "Don't",
    'do not use heat packs',
    'Get help from 111 if',
    'it feels worse after two days',
    'Treatment in hospital',
    'You may get an X-ray',
  ],
  drop: ['small files called cookies', 'analytics cookies', 'Skip to main', 'Health A to Z', 'Contact us', 'Urgent advice'],
};

const saas: Page = {
  name: 'Help article of an app in one script bundle',
  url: 'https://help.scoter.example/a/limits',
  html: `<!doctype html><html><head><title>Limits | Scoter Help</title><script id="__NEXT_DATA__" type="application/json">{"props":{"secret":"NOT TEXT"}}</script><style data-emotion="css">.css-1x{display:flex}.css-9z{position:absolute;left:-10000px;top:auto;width:1px;height:1px;overflow:hidden}</style></head><body><div id="root"><div class="css-1x"><div class="css-n1"><a class="css-l" href="/">Scoter Help</a><div class="css-s"><input placeholder="Search articles"></div><a href="https://app.scoter.example">Open the app</a></div><div class="css-b"><div class="css-c1"><div class="css-t">Getting started</div><a href="/a/start">First steps</a><a href="/a/invite">Invite people</a><div class="css-t">Billing</div><a href="/a/limits">Limits</a></div><div class="css-m"><div class="css-bc"><a href="/">Help</a><span>/</span><a href="/billing">Billing</a></div><div class="css-h" role="heading" aria-level="1">Limits</div><div class="css-d">Updated 12 days ago</div><div class="css-p">A team can hold 500 boards. More are possible on the plan <span class="css-b">Large</span>.</div><div class="css-h2" role="heading" aria-level="2" id="files">Files</div><div class="css-ul" role="list"><div class="css-li" role="listitem">One file: 2 GB</div><div class="css-li" role="listitem">One board: 50 GB</div></div><div class="css-9z">Announced to listeners</div><div class="css-q"><div class="css-qt">Did this answer your question?</div><div role="button" tabindex="0">👍</div><div role="button" tabindex="0">👎</div></div></div></div></div></div><noscript>You need to enable JavaScript.</noscript></body></html>`,
  keep: ['Limits', 'A team can hold 500 boards', 'on the plan Large', 'Files', 'One file: 2 GB', 'One board: 50 GB'],
  drop: [
    'NOT TEXT',
    'Search articles',
    'Open the app',
    'First steps',
    'Invite people',
    'Announced to listeners',
    'Did this answer',
    'enable JavaScript',
  ],
  keepMarkdown: ['# Limits', '## Files', '- One file: 2 GB'],
};

const email: Page = {
  name: 'Letter laid out in tables',
  url: 'https://letters.example/2025-04',
  html: `<html><body bgcolor="#eeeeee"><table width="100%" cellpadding="0"><tr><td align="center"><div style="display:none;max-height:0;overflow:hidden">Preview text for the inbox</div><table width="600" bgcolor="#ffffff"><tr><td align="right" style="font-size:11px"><a href="https://letters.example/view">View in browser</a></td></tr><tr><td><img src="h.png" alt="Header"></td></tr><tr><td style="padding:20px"><h1 style="color:#333333">New opening hours</h1><p>From May the shop opens at <b>9:30</b>.</p><table cellpadding="6" border="1"><tr><td><b>Day</b></td><td><b>Open</b></td></tr><tr><td>Monday</td><td>closed</td></tr><tr><td>Saturday</td><td>9:30 to 14:00</td></tr></table><p>Parking is free in the yard.</p></td></tr><tr><td align="center" style="font-size:10px;color:#999999"><a href="https://letters.example/u">Unsubscribe</a> | <a href="https://letters.example/p">Preferences</a> | <a href="https://letters.example/i">Imprint</a></td></tr></table></td></tr></table></body></html>`,
  keep: ['New opening hours', 'From May the shop opens at 9:30', 'Monday', 'closed', '9:30 to 14:00', 'Parking is free in the yard'],
  drop: ['Preview text', 'Unsubscribe', 'Preferences'],
  keepMarkdown: ['| Saturday | 9:30 to 14:00 |'],
};

const french: Page = {
  name: 'French help page with steps and tabs',
  url: 'https://aide.sittelle.example/factures',
  html: `<!DOCTYPE html><html lang="fr"><head><title>Télécharger une facture — Aide Sittelle</title></head><body><div class="site"><div class="site-header"><a href="/">Aide Sittelle</a><a href="/contact">Nous contacter</a></div><div class="fil-ariane"><a href="/">Accueil</a> › <a href="/comptes">Comptes</a> › Télécharger une facture</div><div class="page"><div class="colonne-gauche"><h3>Dans cette rubrique</h3><ul><li><a href="/a">Changer d'adresse</a></li><li><a href="/b">Résilier</a></li><li><a href="/c">Moyens de paiement</a></li></ul></div><div class="colonne-centre"><h1>Télécharger une facture</h1><p>Les factures sont prêtes le 3 de chaque mois.</p><div class="onglets"><ul class="nav nav-tabs"><li class="active"><a data-toggle="tab" href="#web">Sur le site</a></li><li><a data-toggle="tab" href="#appli">Dans l'application</a></li></ul><div class="tab-content"><div id="web" class="tab-pane active"><ol><li>Ouvrez <strong>Mon compte</strong>.</li><li>Cliquez sur <em>Factures</em>.</li></ol></div><div id="appli" class="tab-pane"><p>Touchez la roue, puis <strong>Documents</strong>.</p></div></div></div><blockquote class="astuce"><p>Une facture reste visible dix ans.</p></blockquote><p>Voir aussi : <a href="/tva">la TVA</a>.</p><div class="avis"><p>Cet article vous a-t-il été utile ?</p><button>Oui</button><button>Non</button></div></div></div><div class="pied"><a href="/mentions">Mentions légales</a><a href="/cgv">CGV</a></div></div><div class="rgpd"><p>Ce site utilise des cookies. Vous pouvez refuser.</p><button>Tout accepter</button><button>Refuser</button></div></body></html>`,
  keep: [
    'Télécharger une facture',
    'prêtes le 3 de chaque mois',
    'Sur le site',
    'Ouvrez Mon compte',
    'Cliquez sur Factures',
    "Dans l'application",
    'Touchez la roue',
    'visible dix ans',
    'la TVA',
  ],
  drop: [
    'Nous contacter',
    'Accueil',
    "Changer d'adresse",
    'Moyens de paiement',
    'vous a-t-il été utile',
    'Mentions légales',
    'utilise des cookies',
    'Tout accepter',
  ],
};

const docbook: Page = {
  name: 'DocBook chapter',
  url: 'https://manual.dunnock.example/ch03.html',
  html: `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Chapter 3. Filters</title></head><body><div class="navheader"><table width="100%" summary="Navigation header"><tr><th colspan="3" align="center">Chapter 3. Filters</th></tr><tr><td width="20%" align="left"><a accesskey="p" href="ch02.html">Prev</a> </td><th width="60%" align="center"> </th><td width="20%" align="right"> <a accesskey="n" href="ch04.html">Next</a></td></tr></table><hr /></div><div class="chapter"><div class="titlepage"><div><div><h2 class="title"><a id="filters"></a>Chapter 3. Filters</h2></div></div></div><div class="toc"><p><b>Table of Contents</b></p><dl class="toc"><dt><span class="section"><a href="ch03.html#f-low">Low pass</a></span></dt><dt><span class="section"><a href="ch03.html#f-high">High pass</a></span></dt></dl></div><p>A filter takes away part of a signal.</p><div class="section"><div class="titlepage"><div><div><h2 class="title" style="clear: both"><a id="f-low"></a>Low pass</h2></div></div></div><p>Set <code class="option">--cut</code> to a frequency.</p><div class="note" style="margin-left: 0.5in;"><h3 class="title">Note</h3><p>Below 20 Hz nothing is heard.</p></div><pre class="programlisting">dunnock --cut 440 in.wav</pre><div class="variablelist"><dl class="variablelist"><dt><span class="term"><code class="option">--slope</code></span></dt><dd><p>Steepness in decibels.</p></dd></dl></div></div><div class="footnotes"><br /><hr style="width:100; text-align:left;margin-left: 0" /><div id="ftn.1" class="footnote"><p><a href="#1" class="para"><sup class="para">[1] </sup></a>Measured in 2019.</p></div></div></div><div class="navfooter"><hr /><table width="100%" summary="Navigation footer"><tr><td width="40%" align="left"><a accesskey="p" href="ch02.html">Prev</a> </td><td width="20%" align="center"> </td><td width="40%" align="right"> <a accesskey="n" href="ch04.html">Next</a></td></tr><tr><td width="40%" align="left" valign="top">Chapter 2. Sources </td><td width="20%" align="center"><a accesskey="h" href="index.html">Home</a></td><td width="40%" align="right" valign="top"> Chapter 4. Mixers</td></tr></table></div></body></html>`,
  keep: [
    'Chapter 3. Filters',
    'A filter takes away part of a signal',
    'Low pass',
    'Set --cut to a frequency',
    'Below 20 Hz nothing is heard',
    'dunnock --cut 440 in.wav',
    '--slope',
    'Steepness in decibels',
    'Measured in 2019',
  ],
  drop: ['Prev', 'Table of Contents', 'High pass', 'Chapter 2. Sources', 'Chapter 4. Mixers'],
  keepMarkdown: ['{#filters}', '{#f-low}', '- `--slope`: Steepness in decibels.'],
};

const recipe: Page = {
  name: 'Knowledge base with a video and related cards',
  url: 'https://learn.smew.example/articles/pairing',
  html: `<!doctype html><html lang="en"><head><title>Pair a sensor</title><script type="application/ld+json">{"@type":"Article","dateModified":"2025-03-09T08:00:00Z"}</script></head><body><smew-header><a href="/">Smew Learn</a></smew-header><div class="layout"><article class="post"><div class="eyebrow">Sensors</div><h1>Pair a sensor</h1><div class="meta"><img class="avatar" src="a.png" alt="Kit"><span>Kit</span> · <time datetime="2025-03-09">March 9</time> · 3 min</div><div class="video"><iframe src="https://v.example/1" title="Video"></iframe></div><p>Pairing takes a minute and needs no tools.</p><h2>Steps<a class="anchor-link" href="#steps" aria-label="Copy link to this section"><svg></svg></a></h2><div class="step"><span class="step-n">1</span><div><h3>Hold the button</h3><p>Until the lamp turns blue.</p></div></div><div class="step"><span class="step-n">2</span><div><h3>Open the app</h3><p>Choose <kbd>Add</kbd>. <img src="s.png" alt="shot_221"></p></div></div><div class="callout callout--info"><div class="callout__icon">ℹ️</div><div class="callout__body"><strong>Range</strong><p>Ten metres, walls count double.</p></div></div><p>If it fails, <a href="/reset">reset the sensor</a>.</p><div class="share-row"><span>Share this article</span><a href="https://www.linkedin.com/sharing/share-offsite/?url=x">LinkedIn</a></div></article><aside class="rail"><div class="card"><h4>Popular articles</h4><ul><li><a href="/b">Change the battery</a></li><li><a href="/c">Read the lamp</a></li></ul></div><div class="card subscribe-card"><h4>Stay up to date</h4><input type="email"><button>Join</button></div></aside></div><section class="more"><h2>Keep reading</h2><div class="cards"><a href="/d"><h3>Sensors in the garden</h3><p>Rain and frost.</p></a></div></section><smew-footer>© Smew</smew-footer></body></html>`,
  keep: [
    'Pair a sensor',
    'Pairing takes a minute',
    'Steps',
    'Hold the button',
    'Until the lamp turns blue',
    'Open the app',
    'Choose Add',
    'Range',
    'walls count double',
    'reset the sensor',
  ],
  drop: [
    'Smew Learn',
    'shot_221',
    'LinkedIn',
    'Share this article',
    'Change the battery',
    'Stay up to date',
    'Sensors in the garden',
    '© Smew',
    'Copy link to',
  ],
};

export const pages: readonly Page[] = [insurance, docusaurusLike, nhs, saas, email, french, docbook, recipe];

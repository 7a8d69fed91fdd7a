export const all = {
  'measure-symbols': `
// Symbols and short forms that are units in any language, right behind a figure.
ms: ms; s: s, sec, secs; minute: min, mins; hour: h, hr, hrs; %: %; permille: ‰; $: $, usd, us$; €: €, eur; £: £, gbp
¥: ¥, ￥, jpy, cny, rmb; ₹: ₹, inr; chf: chf; byte: b, bytes, byte; kb: kb; mb: mb; gb: gb; tb: tb; pb: pb; kib: kib; mib: mib; gib: gib
tib: tib; kbps: kbps; mbps: mbps; gbps: gbps; km: km; m: m; cm: cm; mm: mm; kg: kg; g: g; c: °c; am: am, a.m; pm: pm, p.m; thousand: k
million: mio, mn; billion: bn
`,
  'measure-characters': `
// Units in scripts without spaces.
minute: 分間, 分钟, 分鐘, 分; hour: 時間, 小时, 小時, 点, 時; business: 営業日, 工作日; day: 日間, 日, 天; week: 週間, 週, 周
month: か月, ヶ月, カ月, ヵ月, 个月, 個月, 月; year: 年間, 年; s: 秒間, 秒; ¥: 円, 元; $: ドル, 美元, 달러; €: ユーロ, 欧元, 유로
£: ポンド, 英镑; %: パーセント; monday: 月曜, 周一, 星期一; tuesday: 火曜, 周二, 星期二; wednesday: 水曜, 周三, 星期三
thursday: 木曜, 周四, 星期四; friday: 金曜, 周五, 星期五; saturday: 土曜, 周六, 星期六; sunday: 日曜, 周日, 星期日; weekend: 週末, 周末
business: 平日
`,
};

export const allTalk = {
  'small-talk': `
// What people say to an assistant when they ask the documents nothing: words in order, 'a/b' one of several, '?' after what may be missing.
// No word that a question about a product could be made of.
beside: please
greeting: hi/hello/hey team/agent/assistant/bot?, welcome
thanks: ok, okay, okey, k, thanks/thx team/agent/assistant/bot?, super, top, bravo, lol, haha, hahaha, hehe, yes, no, yep, nope, perfect
bye: bye, bye bye
help: help, sos
`,
  'person-request': '',
};

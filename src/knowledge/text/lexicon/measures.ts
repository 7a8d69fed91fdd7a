/**
 * What has to be the same and not only alike: units of time, size and money, days of the week, months. A line is one thing under the
 * name that all languages share, and the words for it, lower case and without accents. Refuses words that often mean something else
 * (`second`, `may`): those count only beside a figure or with a capital.
 */

import { otherMeasureWords } from './measures-other.ts';

/** Symbols and short forms that are units in any language, right behind a figure. */
export const measureSymbols = `
ms: ms
s: s sec secs
minute: min mins
hour: h hr hrs
%: %
permille: ‰
$: $ usd us$
€: € eur
£: £ gbp
¥: ¥ ￥ jpy cny rmb
₹: ₹ inr
chf: chf
byte: b bytes byte
kb: kb
mb: mb
gb: gb
tb: tb
pb: pb
kib: kib
mib: mib
gib: gib
tib: tib
kbps: kbps
mbps: mbps
gbps: gbps
km: km
m: m
cm: cm
mm: mm
kg: kg
g: g
c: °c
am: am a.m
pm: pm p.m
thousand: k
million: mio mn
billion: bn`;

export const measureWords = {
  ...otherMeasureWords,
  en: `
ms: millisecond milliseconds
s: seconds
minute: minute minutes
hour: hour hours hourly
pm: pm
day: day days daily
week: week weeks weekly
month: month months monthly
quarter: quarter quarters quarterly
year: year years yearly annual annually annum
decade: decade decades
business: business working weekday weekdays workday workdays workweek
calendar: calendar
weekend: weekend weekends
%: percent
$: dollar dollars
€: euro euros
¥: yen yuan
cent: cents
kb: kilobyte kilobytes
mb: megabyte megabytes
gb: gigabyte gigabytes
tb: terabyte terabytes
km: kilometer kilometers kilometre kilometres
mile: mile miles
m: meters metres
kg: kilogram kilograms
thousand: thousand thousands
million: million millions
billion: billion billions
monday: monday mondays
tuesday: tuesday tuesdays
wednesday: wednesday wednesdays
thursday: thursday thursdays
friday: friday fridays
saturday: saturday saturdays
sunday: sunday sundays
january: january jan
february: february feb
march: March
april: april apr
may: May
june: june
july: july
august: August
september: september sept
october: october oct
november: november nov
december: december dec
tomorrow: tomorrow
yesterday: yesterday`,
  de: `
s: sekunde sekunden
minute: minute minuten
hour: stunde stunden stundlich
day: tag tage tagen tages taglich
week: woche wochen wochentlich
month: monat monate monaten monats monatlich
quarter: quartal quartale quartals quartalsweise
year: jahr jahre jahren jahres jahrlich
business: werktag werktage werktagen werktags arbeitstag arbeitstage arbeitstagen geschaftstag geschaftstage
calendar: kalendertag kalendertage kalendertagen
weekend: wochenende wochenenden
%: prozent
$: dollar
€: euro
kb: kilobyte
mb: megabyte
gb: gigabyte
tb: terabyte
thousand: tausend
million: million millionen
billion: milliarde milliarden
monday: montag montags
tuesday: dienstag dienstags
wednesday: mittwoch mittwochs
thursday: donnerstag donnerstags
friday: freitag freitags
saturday: samstag samstags sonnabend
sunday: sonntag sonntags
january: januar
february: februar
march: marz
april: april
may: mai
june: juni
july: juli
august: august
september: september
october: oktober
november: november
december: dezember`,
} as const;

/** Of scripts without spaces, the longer first where one begins like another. */
export const measureCharacters = `
minute: 分間 分钟 分鐘 分
hour: 時間 小时 小時 点 時
business: 営業日 工作日
day: 日間 日 天
week: 週間 週 周
month: か月 ヶ月 カ月 ヵ月 个月 個月 月
year: 年間 年
s: 秒間 秒
¥: 円 元
$: ドル 美元 달러
€: ユーロ 欧元 유로
£: ポンド 英镑
%: パーセント
monday: 月曜 周一 星期一
tuesday: 火曜 周二 星期二
wednesday: 水曜 周三 星期三
thursday: 木曜 周四 星期四
friday: 金曜 周五 星期五
saturday: 土曜 周六 星期六
sunday: 日曜 周日 星期日
weekend: 週末 周末
business: 平日`;

export const de = {
  'stop-words': `
// Words that say how something is asked, not what about; without apostrophes.
bekomme, bekommen, bekommst, bekommt, bekam, krieg, kriege, kriegen, kriegst, kriegt, werd, heute, gestern, morgen, früh, stell, dauernd
ständig, schon, gleich, nochmal, wieder, doch, seid, geht, ging, gehts, klappt, macht, mach, ab, aber, alle, allem, allen, aller, alles
als, also, am, an, andere, anderem, anderen, anderer, anderes, auch, auf, aus, außer, bei, beim, bereits, bevor, bin, bis, bisschen
bist, brauche, brauchen, braucht, bzw, da, dabei, dadurch, dafür, dagegen, daher, dahin, damit, danach, daneben, dann, daran, darauf
daraus, darf, darfst, darin, darüber, darum, das, dass, davon, davor, dazu, dein, deine, deinem, deinen, deiner, deines, dem, den, denen
denn, der, deren, des, deshalb, dessen, dich, die, dies, diese, diesem, diesen, dieser, dieses, dir, dort, du, durch, durfte, dürfen
dürfte, eben, ein, eine, einem, einen, einer, eines, einfach, einige, einigen, einiger, einiges, einmal, er, erst, es, etwa, etwas, euch
euer, eure, eurem, euren, für, gab, geben, gegen, genau, gerade, gern, gerne, gewesen, gibt, gibts, gilt, habe, haben, habt, hast, hat
hatte, hatten, hätte, hätten, hier, hin, hinter, ich, ihm, ihn, ihnen, ihr, ihre, ihrem, ihren, ihrer, ihres, im, immer, in, indem, ins
ist, ja, je, jede, jedem, jeden, jeder, jedes, jemand, jemandem, jemanden, jene, jenem, jenen, jener, jenes, jetzt, kann, kannst, kein
keine, keinem, keinen, keiner, keines, können, könnt, könnte, könnten, könntest, konnte, konnten, lasse, lassen, lässt, machen, man
manche, manchem, manchen, mancher, manches, mein, meine, meinem, meinen, meiner, meines, mich, mir, mit, möchte, möchten, möchtest, muss
müssen, musst, müsste, müssten, musste, mussten, nach, nachdem, nein, nicht, nichts, niemand, nie, noch, nun, nur, ob, obwohl, oder
ohne, sehr, sei, sein, seine, seinem, seinen, seiner, seines, seit, selbst, sich, sie, sind, so, sobald, sodass, solche, solchem
solchen, solcher, solches, soll, sollen, sollte, sollten, sollst, sondern, sonst, sowie, sowohl, statt, trotz, tun, tut, über, um, und
uns, unser, unsere, unserem, unseren, unserer, unter, viel, viele, vielen, vom, von, vor, während, wann, war, wäre, wären, waren, warst
warum, was, wegen, weil, weiter, weitere, welche, welchem, welchen, welcher, welches, wem, wen, wenn, wer, werde, werden, werdet
weshalb, wessen, wie, wieso, wieviel, wird, wirst, wo, wobei, wodurch, wofür, woher, wohin, womit, woran, worauf, woraus, worden
worüber, wovon, wozu, wurde, wurden, würde, würden, will, willst, wir, wirklich, wollen, wollt, wollte, wollten, zu, zum, zur, zwar
zwischen, ach, bitte, danke, dankeschön, entschuldigung, entschuldige, hallo, hey, hi, moin, servus, sorry, guten, liebe, lieber, leute
okay, ok, erkläre, erklären, erklärt, erzähl, erzählen, frage, fragen, kurz, mal, sag, sagen, sagt, weiß, weißt, wissen, wüsste, halt
eigentlich, vielleicht, gruß, grüße
`,
  negations: `
nicht, nie, niemals, kein, keine, keinen, keinem, keiner, keines, weder, noch nie, niemand, nichts, kaum, selten
except: ohne, ausser, ausgenommen
`,
  affirmations: `
nicht nur, ohne weiteres, nicht mehr als, nicht spater als
`,
  opposites: `
mehr als, uber #, mindestens, ab #, wenigstens, minimal | weniger als, unter #, hochstens, maximal, bis zu, innerhalb, binnen, nicht mehr als
immer, stets, jederzeit | manchmal, gelegentlich, nie, niemals, selten; only: nur, ausschliesslich, lediglich |
general: jeder beliebige, beide, egal ob, unabhangig davon |
vor, bevor, bis | nach, nachdem
einschliesslich, inklusive, enthalten, beinhalten, inbegriffen | ausschliesslich, exklusive, ausgenommen, ausser
akzeptieren, genehmigen, annehmen, angenommen, genehmigt | ablehnen, abgelehnt, verweigern
erlaubt, gestattet, zulassig, erlauben, durfen, darf | verboten, untersagt, untersagen; offen, geoffnet, offnen | geschlossen, schliessen
alle, jeder, jede, jedes, samtliche | einige, manche, wenige
pflicht, verpflichtend, mussen, muss, obligatorisch, erforderlich, notwendig | freiwillig, optional, konnen, kann, darf, durfen
erhohen, steigen, erhoht, steigt | senken, sinken, verringern, reduzieren; erste, ersten, erster | letzte, letzten, letzter
intern, interne, internen | extern, externe, externen; kostenlos, gratis, kostenfrei | kostenpflichtig, gebuhrenpflichtig, gegen gebuhr
offentlich | privat, vertraulich; fruher, fruhestens | spater, spatestens; automatisch | manuell
eingehend, eingehende | ausgehend, ausgehende; aktivieren, aktiviert, einschalten | deaktivieren, deaktiviert, ausschalten
bezahlt, bezahlter | unbezahlt, unbezahlter
`,
  joints: `
und, aber, wahrend, obwohl, weil, sondern, wenn, sofern, sowie
part: ohne, ausser, statt, bevor, nachdem, bis, dass, da, als, jedoch, weder
`,
  discourse: `
ausserdem, daruber, hinaus, jedoch, allerdings, somit, ubrigens, insgesamt, generell, allgemein, folgende, folgenden, beispiel, verschiedene
bestimmte, wichtig, gemass, laut, bezuglich, naturlich, hinweis, beachten, zusammenfassend, demnach
`,
  numbers: `
0.5: halb, halbe, halben, halber; 1: ein, eine, einen, einem, einer; 2: zwei, zweimal, doppelt; 3: drei, dreimal; 4: vier; 5: funf; 6: sechs
7: sieben; 8: acht; 9: neun; 10: zehn; 11: elf; 12: zwolf, dutzend; 13: dreizehn; 14: vierzehn; 15: funfzehn; 16: sechzehn; 17: siebzehn
18: achtzehn; 19: neunzehn; 20: zwanzig; 30: dreissig; 40: vierzig; 50: funfzig; 60: sechzig; 70: siebzig; 80: achtzig; 90: neunzig
100: hundert; 1000: tausend
2: zweite, zweiten, zweiter, zweites; 3: dritte, dritten, dritter, drittes; 4: vierte, vierten, vierter, viertes; 5: funfte, funften, funfter
`,
  measures: `
s: sekunde, sekunden; minute: minute, minuten; hour: stunde, stunden, stundlich; day: tag, tage, tagen, tages, taglich
week: woche, wochen, wochentlich; month: monat, monate, monaten, monats, monatlich; quarter: quartal, quartale, quartals, quartalsweise
year: jahr, jahre, jahren, jahres, jahrlich
business: werktag, werktage, werktagen, werktags, arbeitstag, arbeitstage, arbeitstagen, geschaftstag, geschaftstage
calendar: kalendertag, kalendertage, kalendertagen; weekend: wochenende, wochenenden
%: prozent; $: dollar; €: euro; kb: kilobyte; mb: megabyte; gb: gigabyte; tb: terabyte; thousand: tausend; million: million, millionen
billion: milliarde, milliarden
monday: montag, montags; tuesday: dienstag, dienstags; wednesday: mittwoch, mittwochs; thursday: donnerstag, donnerstags
friday: freitag, freitags; saturday: samstag, samstags, sonnabend; sunday: sonntag, sonntags
january: januar; february: februar; march: marz; april: april; may: mai; june: juni; july: juli; august: august; september: september
october: oktober; november: november; december: dezember
`,
  synonyms: `
// Words and short phrases that may stand for one another: no opposites, no wider terms.
geld zurück, geld wieder, rückerstattung, erstattung, rückzahlung, erstatten, zurückzahlen
wie viel, preis, kosten, gebühr, kostet, was kostet
günstig, billig, preiswert, kostengünstig
kostenlos, gratis, kostenfrei, umsonst, unentgeltlich
rabatt, preisnachlass, ermäßigung, vergünstigung, nachlass
gutschein, rabattcode, gutscheincode, aktionscode, coupon
bezahlen, zahlen, zahlung, bezahlung, begleichen
rechnung, faktura, rechnungsbeleg
beleg, quittung, kassenbon, kaufbeleg, zahlungsnachweis
zahlungsart, zahlungsmethode, zahlungsweise, zahlungsmittel, zahlungsmöglichkeit
überfällig, zahlungsverzug, mahnung, offene rechnung, nicht bezahlt
mehrwertsteuer, umsatzsteuer, mwst, ust
abo, abonnement, mitgliedschaft
probezeitraum, testphase, kostenlos testen, testzeitraum, probeabo, testversion
verlängern, verlängerung, automatische verlängerung, erneuern
kündigen, kündigung, beenden, vertrag beenden, abbestellen
kündigungsfrist, frist zur kündigung, kündigungstermin
stornieren, stornierung, storno, absagen
widerruf, widerrufsrecht, widerrufsfrist, vom vertrag zurücktreten, rücktrittsrecht
vertrag, vereinbarung, abkommen
agb, geschäftsbedingungen, nutzungsbedingungen, vertragsbedingungen
richtlinie, regelung, vorschrift, vorgabe, policy
pflicht, verpflichtend, obligatorisch, vorgeschrieben, verbindlich
garantie, gewährleistung
kaufen, erwerben, bestellen, kauf, bestellung
kunde, kundin, auftraggeber
lieferung, versand, zustellung, liefern, versenden, verschicken
paket, päckchen, sendung
rücksendung, retoure, zurückschicken, zurücksenden, rückgabe, zurückgeben
umtausch, umtauschen, tauschen, austausch
beschädigt, kaputt, defekt, mangelhaft
auf lager, lieferbar, verfügbar, vorrätig
ausverkauft, nicht verfügbar, vergriffen, nicht lieferbar
reservieren, buchen, reservierung, buchung
verschieben, verlegen, umbuchen
urlaub, ferien, freie tage, freizeit, jahresurlaub, urlaubstage
feiertag, gesetzlicher feiertag
krank, krankheit, krankmeldung, krankschreibung, arbeitsunfähig, erkrankt
attest, krankschein, arbeitsunfähigkeitsbescheinigung, au-bescheinigung
elternzeit, mutterschutz, babypause, vaterschaftsurlaub
schwanger, schwangerschaft
gehalt, lohn, vergütung, verdienst, bezahlung
gehaltserhöhung, lohnerhöhung, mehr gehalt
überstunden, mehrarbeit, überzeit
spesen, auslagen, reisekosten, aufwendungen
dienstreise, geschäftsreise
unterkunft, hotel, übernachtung
verpflegung, essen, mahlzeit
auto, pkw, fahrzeug, wagen
laptop, notebook, computer, rechner
gerät, ausstattung, hardware, equipment, ausrüstung
handy, smartphone, mobiltelefon, diensthandy
homeoffice, mobiles arbeiten, von zuhause arbeiten, remote arbeiten, telearbeit
arbeitszeit, arbeitsstunden, bürozeiten
mitarbeiter, angestellter, beschäftigter, arbeitnehmer, personal
chef, vorgesetzter, führungskraft, teamleiter
kollege, kollegin, teammitglied
weiterbildung, fortbildung, schulung, kurs
belästigung, mobbing, schikane
beschwerde, beschweren
genehmigung, genehmigen, freigabe, freigeben, bewilligung
antrag, beantragen
anmelden, einloggen, login, anmeldung, einwählen
abmelden, ausloggen, logout
registrieren, registrierung, konto erstellen, konto anlegen
konto, account, benutzerkonto, profil
konto löschen, account löschen, konto schließen, konto entfernen
passwort, kennwort
passwort vergessen, passwort zurücksetzen, kennwort ändern, passwort ändern
zwei-faktor-authentifizierung, 2fa, zweistufige anmeldung, mfa
e-mail, mail, mailadresse, email
benutzername, nutzername, anzeigename
benutzer, nutzer, anwender, user
berechtigung, recht, zugriffsrecht, erlaubnis, befugnis
erlauben, zulassen, gestatten, genehmigen
verbieten, untersagen, nicht erlaubt, verboten, unzulässig
sperren, blockieren, sperrung, gesperrt
einladen, einladung
teilen, freigeben
datenschutz, privatsphäre, dsgvo
personenbezogene daten, persönliche daten, nutzerdaten
verschlüsselung, verschlüsseln, verschlüsselt
gehackt, kompromittiert, fremder zugriff
benachrichtigung, mitteilung, meldung, hinweis, push-nachricht
nachricht, mitteilung, chatnachricht
anruf, telefonat, anrufen, telefonieren
aufzeichnung, aufzeichnen, aufnahme, aufnehmen, mitschnitt, mitschneiden
datei, dokument
ordner, verzeichnis
hochladen, upload
herunterladen, download, runterladen
löschen, entfernen
wiederherstellen, wiederherstellung, zurückholen
sicherung, backup, sicherungskopie, datensicherung
aufbewahrung, speicherdauer, aufbewahrungsfrist, aufbewahren
speichern, sichern, ablegen
ändern, bearbeiten, anpassen, änderung, modifizieren
hinzufügen, ergänzen, anlegen
einschalten, aktivieren, anschalten
ausschalten, deaktivieren, abschalten
einstellung, konfiguration, option, einstellen
kontakt, erreichen, kontaktieren, sich melden
support, kundendienst, kundenservice, kundenbetreuung
problem, störung, schwierigkeit
fehler, bug, fehlermeldung
reparieren, beheben, lösen, lösung, behebung
ausfall, störung, nicht erreichbar
funktioniert nicht, geht nicht, klappt nicht
absturz, abstürzen, abgestürzt
hängt, eingefroren, reagiert nicht
langsam, träge, dauert lange
schnell, zügig, rasch
installieren, einrichten, installation, einrichtung
neu starten, neustart
datenbank, db
antwort, response, rückmeldung
grenze, limit, höchstgrenze, obergrenze, maximum
aktualisieren, update, aktualisierung
baby, geburt, kind, neugeborenes, nachwuchs
vater, mutter, eltern, elternteil
nacht, nachts, ruhezeit, nachtruhe
phishing, betrug, betrügerisch, verdächtig, sicherheitsvorfall
beleidigen, beleidigung, beschimpfen, belästigung, mobbing
herunterladen, download, export, exportieren
down, ausgefallen, ausfall, störung, nicht erreichbar
bescheid sagen, ankündigen, mitteilen, melden
gefällt nicht, unzufrieden, widerruf
gast, externe, besucher
täglich, pro tag, jeden tag
wöchentlich, pro woche, jede woche
monatlich, pro monat, jeden monat
jährlich, pro jahr, jedes jahr, im jahr
frist, stichtag, letzter termin
wie lange, dauer, zeitraum
wie oft, häufigkeit
werktag, arbeitstag
öffnungszeiten, geschäftszeiten, servicezeiten
voraussetzung, anforderung, bedingung
erhöhen, steigern, vergrößern
senken, reduzieren, verringern, verkleinern
suchen, finden
anzeigen, einsehen, ansehen
schicken, senden, einreichen
prüfen, überprüfen, kontrollieren
bestätigen, bestätigung
ablehnen, ablehnung, zurückweisen
ablauf, ablaufen, verfallen, ungültig werden
vergleich, vergleichen, unterschied
`,
  'compound-parts': `
// Words that are often parts of compounds.
abbruch, abbuchung, abbuchungen, abend, abende, abendessen, abfahrt, abfall, abfälle, abfindung, abfindungen, abfuhr, abgabe, abgaben
abhol, abholung, abkommen, abkürzung, ablage, ablauf, abläufe, ablehnung, ablösung, abmelde, abmeldung, abmeldungen, abnahme, abo
abonnement, abonnements, abos, abrechnung, abrechnungen, abreise, absage, absatz, absätze, abschluss, abschlüsse, abschnitt, abschnitte
absender, abstimmung, abstimmungen, absturz, abteilung, abteilungen, abwehr, abwesenheit, abwesenheiten, abwicklung, account, accounts
admin, administrator, administratoren, admins, adressbuch, adresse, adressen, agent, agenten, agentur, agenturen, akku, akkus, akte
akten, aktie, aktien, aktion, aktionen, aktivierung, aktualisierung, aktualisierungen, alarm, alarmanlage, alarme, algorithmus, alkohol
allergie, allergien, allgemein, alltag, alt, altersvorsorge, ampel, amt, ämter, amts, analog, analyse, analysen, anbieter, änderung
änderungen, anfrage, anfragen, angebot, angebote, angreifer, angriff, angriffe, angst, anhang, anhänge, ankunft, anlage, anlagen
anleihe, anleihen, anleitung, anleitungen, anmelde, anmeldung, anmeldungen, annahme, anpassung, anreise, anruf, anrufbeantworter, anrufe
anrufer, anschluss, anschlüsse, anschrift, ansicht, ansichten, ansprechpartner, anspruch, ansprüche, anstellung, anteil, anteile, antrag
anträge, antwort, antworten, anwalt, anwälte, anwender, anwendung, anwendungen, anwesenheit, anzahl, anzahlung, anzeige, anzeigen, api
apotheke, apotheken, app, arbeit, arbeiten, arbeiter, arbeitgeber, arbeitnehmer, arbeitsplatz, arbeitsschutz, arbeitstag, arbeitszeit
archiv, archive, archivierung, armee, artikel, arznei, arzneimittel, arzt, ärzte, ärztin, assistent, assistenten, assistenz, attest
attribut, attribute, audio, audit, audits, aufbewahrung, aufenthalt, aufenthalte, aufgabe, aufgaben, aufklärung, auflösung, aufnahme
aufnahmen, aufsicht, aufstellung, auftrag, aufträge, auftraggeber, auftragnehmer, aufzeichnung, aufzeichnungen, aufzug, auge, augen
ausbildung, ausbildungen, ausdruck, ausfall, ausfälle, ausflug, ausflüge, ausgabe, ausgaben, ausgang, ausgänge, ausgleich, auskunft
auskünfte, auslage, auslagen, ausland, ausnahme, ausnahmen, ausreise, ausschuss, ausschüsse, außen, ausstellung, ausstellungen
austausch, auswahl, ausweis, ausweise, auswertung, auswertungen, auszahlung, auszahlungen, auszug, auszüge, authentifizierung
authentisierung, auto, autobahn, automat, automaten, automatisierung, autor, autoren, autorisierung, autos, azubi, baby, babys, bäcker
bäckerei, backup, backups, bad, bade, bahn, bahnen, bahnhof, bahnhöfe, bahnsteig, balkon, bandbreite, bank, banken, bargeld
barrierefreiheit, basis, batterie, batterien, bau, bauer, bauern, bauherr, baum, bäume, baumwolle, baustein, bausteine, baustelle
baustellen, bearbeiter, bearbeitung, beauftragte, beauftragten, beauftragter, becher, bedarf, bedienung, bedingung, bedingungen
bedrohung, bedrohungen, bedürfnis, befehl, befehle, befreiung, befugnis, befugnisse, beginn, begrenzung, behandlung, behandlungen
behinderung, behinderungen, behörde, behörden, beispiel, beispiele, beitrag, beiträge, bekanntmachung, belästigung, belastung
belastungen, beleg, belege, belegschaft, beleuchtung, benachrichtigung, benachrichtigungen, benutzer, benutzerkonto, benutzername
benutzernamen, benutzung, benzin, berater, beratung, beratungen, berechnung, berechnungen, berechtigung, berechtigungen, bereich
bereiche, bereitschaft, bereitstellung, berg, berge, bericht, berichte, beruf, berufe, besatzung, beschaffung, beschäftigung, bescheid
bescheide, bescheinigung, bescheinigungen, beschränkung, beschränkungen, beschreibung, beschreibungen, beschwerde, beschwerden, besen
besitzer, besprechung, besprechungen, bestand, bestände, bestands, bestätigung, bestätigungen, bestechung, bestell, bestellung
bestellungen, bestellwert, bestimmung, bestimmungen, besuch, besuche, besucher, beta, beteiligung, beteiligungen, beton, betrag, beträge
betreuer, betreuung, betrieb, betriebe, betriebsrat, betriebssystem, betrug, betrüger, bett, betten, beurteilung, beutel, beweis
beweise, bewerber, bewerbung, bewerbungen, bewertung, bewertungen, bezahlung, bezug, bezüge, bibliothek, bibliotheken, bier, bilanz
bilanzen, bild, bilder, bilderrahmen, bildschirm, bildschirme, bildschirmfreigabe, bildung, bindung, bio, blatt, blätter, blau, blitz
blockchain, blog, blogs, bluetooth, blume, blumen, blut, boden, böden, bohr, bohrer, bonität, bonus, börse, börsen, box, branche
branchen, brand, breite, breiten, brenn, brett, bretter, brief, briefe, briefkasten, brille, brillen, brot, browser, bruch, brücke
brücken, buch, bücher, buchhaltung, buchung, buchungen, budget, budgets, bügel, bühne, bühnen, bund, bundes, bürger, büro, büros, bus
buße, bußgeld, cache, callcenter, camping, center, chat, chatbot, chatbots, chats, chef, chefs, chemie, chronik, client, clients, cloud
cluster, code, codes, compliance, container, controlling, cookie, cookies, crew, crowdfunding, dach, dächer, dank, danke, darlehen, darm
dashboard, datei, dateien, daten, datenbank, datenbanken, datensatz, datenschutz, datum, dauer, deaktivierung, decke, decken, deckung
demo, depot, depotbank, depots, design, desktop, dezernat, diagnose, diagnosen, diagramm, diagramme, diät, diebstahl, dienst, dienste
dienstleister, dienstleistung, dienstleistungen, dienstplan, dienstreise, diesel, digital, direktion, direktor, diskriminierung
dividende, dividenden, dns, dokument, dokumentation, dokumentationen, dokumente, dollar, domain, domains, doppel, dorf, dörfer, dose
dosen, download, downloads, dreh, dritt, drittanbieter, droge, drogen, druck, drucker, druckerei, durchschnitt, durchwahl, ebene, ebenen
echt, echtzeit, ecke, effekt, ehepartner, eigen, eigentum, eigentümer, eimer, einbettung, einbruch, eingabe, eingaben, eingang, eingänge
einkauf, einkäufe, einkommen, einladung, einladungen, einnahme, einnahmen, einreise, einrichtung, einrichtungen, einschränkung
einschränkungen, einsicht, einspruch, einsprüche, einstellung, einstellungen, einteilung, eintrag, einträge, einwilligung
einwilligungen, einzahlung, einzahlungen, einzel, einziehung, einzug, einzugs, elektro, elektroauto, element, elemente, eltern
elternzeit, email, emoji, emojis, empfänger, empfehlung, empfehlungen, endbetrag, endgerät, endgeräte, endkunde, endkunden, endnutzer
endpreis, endpreise, energie, energien, entfernung, entgelt, entnahme, entschädigung, entschädigungen, entscheidung, entscheidungen
entschlüsselung, entwickler, entwicklung, entwicklungen, entwurf, entwürfe, epoche, erbrecht, erbschaft, ereignis, ereignisse, erfahrung
erfahrungen, erfassung, erfolg, erfolge, ergänzung, ergänzungen, ergebnis, ergebnisse, erhebung, erhöhung, erholung, erinnerung
erinnerungen, erkältung, erkennung, erklärung, erklärungen, erkrankung, erlaubnis, ermächtigung, ermäßigung, ermittlung, ermittlungen
ernährung, eröffnung, ersatz, ersatzteil, ersatzteile, erst, erstattung, erstattungen, erste, erteilung, ertrag, erträge, erweiterung
erweiterungen, essen, etage, ethik, etikett, etiketten, euro, europa, event, events, experte, experten, export, exporte, extern, extra
fach, fächer, factoring, faden, fähigkeit, fahne, fahr, fähre, fähren, fahrer, fahrkarte, fahrkarten, fahrplan, fahrrad, fahrräder
fahrschein, fahrt, fahrten, fahrzeug, fahrzeuge, faktor, faktoren, fall, fälle, fälligkeit, familie, familien, farbe, farben, feedback
fehler, fehlermeldung, feier, feierabend, feiern, feiertag, feiertage, feld, felder, fenster, ferien, fern, fernsehen, fernseher
fernzugriff, festnetz, festplatte, festplatten, feuer, feuerwehr, feuerwerk, fieber, figur, filiale, filialen, film, filme, filter
finanz, finanzamt, finanzen, finanzierung, fingerabdruck, firewall, firma, firmen, fisch, fläche, flächen, flasche, flaschen, fleisch
flug, flugblatt, flüge, flughafen, flughäfen, flugzeug, flugzeuge, flur, folge, folgen, folie, folien, fonds, forderung, förderung
forderungen, foren, form, format, formate, formen, formular, formulare, forschung, fortbildung, fortbildungen, forum, foto, fotos
fracht, frage, fragen, franchise, frau, frauen, frei, freigabe, freigaben, freistellung, freizeit, fremd, freude, freund, freunde
frisch, friseur, frist, fristen, frühbucher, frühling, frühstück, führer, führerschein, führung, führungen, funk, funktion, funktionen
fusion, fuß, fußball, füße, gabel, gang, gänge, ganz, garage, garagen, garantie, garantien, garderobe, garn, garten, gärten, gas, gase
gast, gäste, gastgeber, gastronomie, gebäude, geber, gebiet, gebiete, gebrauch, gebrauchs, gebraucht, gebühr, gebühren, geburt, geburten
geburtstag, gedanke, gedanken, gefahr, gefährdung, gefühl, gefühle, gegenstand, gegenstände, gegenwart, gehalt, gehälter, geheim
geheimnis, geheimnisse, geld, geldautomat, gelder, gelenk, gemeinde, gemüse, genehmigung, genehmigungen, gepäck, gerät, geräte, gericht
gerichte, gesamt, geschäft, geschäfte, geschäftsführer, geschäftszeiten, geschenk, geschenke, geschirr, geschwindigkeit, gesellschaft
gesellschaften, gesellschafter, gesetz, gesetze, gesicht, gespräch, gespräche, gestaltung, gesundheit, getränk, getränke, gewährleistung
gewerbe, gewerkschaft, gewerkschaften, gewicht, gewichte, gewinn, gewinne, gewinnspiel, gewinnspiele, gitter, glas, gläubiger, gleich
gleichstellung, gleis, gleise, gleitzeit, global, glück, gold, grad, grafik, grafiken, grafikkarte, gratis, grenze, grenzen, grippe
groß, größe, größen, grün, grund, gründe, gründer, grundlage, grundlagen, grundstück, grundstücke, gründung, gruppe, gruppen
gruppenchat, gruß, grüße, gültigkeit, gutachter, guthaben, gutschein, gutscheine, gutschrift, gutschriften, haar, haare, hacker, hafen
häfen, haftpflicht, haftung, hagel, halb, halbjahr, halbjahre, halter, haltestelle, haltestellen, haltung, hammer, hand, handbuch
handbücher, hände, handel, handgepäck, händler, handtuch, handwerk, handwerker, handy, handys, hardware, haupt, hauptsache, haus
hausarzt, häuser, haushalt, haushalte, hausmeister, hausnummer, hausordnung, hausrat, haut, headset, headsets, heft, hefte, heim
heimarbeit, heimat, heime, heiz, heizung, hemd, hemden, herausgabe, herbst, herd, hersteller, herz, hilfe, hilfen, hilfs, hilfsmittel
himmel, hinreise, hintergrund, hinweis, hinweise, hinweisgeber, hoch, hochschule, hochschulen, höchst, hochzeit, hochzeiten, hof, höhe
höhen, holz, homeoffice, homepage, hörgerät, hose, hosen, host, hosting, hotel, hotels, hotline, hund, hunde, hundert, husten, hygiene
hypothek, icon, icons, idee, ideen, identität, immobilie, immobilien, impf, impfpass, impfung, impfungen, import, importe, impressum
index, indizes, industrie, infektion, infektionen, information, informationen, inhaber, inhalt, inhalte, inkasso, inland, innenstadt
insel, inseln, insolvenz, installation, installationen, instanz, instanzen, institut, institute, institution, institutionen, integration
integrationen, intelligenz, interesse, interessen, intern, international, internet, intranet, invalidität, investition, investitionen
jacke, jacken, jahr, jahre, jahres, jahresabschluss, jahresende, job, journal, jugend, jugendliche, kabel, kachel, kaffee, kalender
kalkulation, kalt, kamera, kameras, kammer, kammern, kampagne, kampagnen, kanal, kanäle, kandidat, kandidaten, kante, kantine, kapazität
kapital, kapitän, kapitel, karneval, karriere, karte, karteikarte, karteikarten, kartell, karten, karton, kartons, käse, kasko, kasse
kassen, kasten, kästen, katalog, kataloge, kategorie, kategorien, katze, katzen, kauf, käufe, käufer, kaution, keller, kenn, kenntnis
kenntnisse, kennung, kennungen, kennwort, kennwörter, kennzahl, kennzahlen, kennzeichen, kennzeichnung, kette, ketten, kfz, kilo
kilogramm, kilometer, kilowatt, kind, kinder, kinderbetreuung, kindergarten, kino, kinos, kissen, kiste, kisten, kita, kitas, klage
klagen, klasse, klassen, klausel, klauseln, kleb, kleid, kleider, kleidung, klein, klick, klicks, klima, klingelton, klinik, kliniken
knochen, knopf, knöpfe, koch, kodex, koffer, kollege, kollegen, kollegin, kommentar, kommentare, kommission, kommissionen, kommune
kompetenz, kompetenzen, komponente, komponenten, konferenz, konferenzen, konferenzschaltung, konfiguration, konfigurationen, konflikt
konflikte, konkurs, konsole, kontakt, kontakte, konten, konto, kontoauszug, kontoauszüge, kontonummer, kontrolle, kontrollen, konzept
konzepte, konzern, konzerne, konzert, konzerte, kopf, kopfhörer, kopie, kopien, kopier, korb, körper, korruption, kosmetik, kosten
kraft, kräfte, kraftstoff, krank, krankenhaus, krankenhäuser, krankenkasse, krankenkassen, krankheit, krankheiten, krankmeldung
krankschreibung, kredit, kredite, kreditkarte, kreis, kreise, kreuzfahrt, kreuzung, krypto, küche, kuchen, küchen, kühl, kühlschrank
kultur, kunde, kunden, kundendienst, kundenkonto, kundenservice, kündigung, kündigungen, kundin, kunst, künstler, kunststoff, kurs
kurse, kurz, kurzarbeit, kürzel, kürzung, labor, labore, lade, ladegerät, läden, ladung, lage, lagen, lager, lagerung, lampe, lampen
land, länder, landingpage, lang, länge, längen, laptop, laptops, last, lastschrift, lastschriften, lauf, laufwerk, laufwerke, laufzeit
laufzeiten, lautsprecher, lautstärke, layout, leak, leasing, leben, lebens, lebensmittel, leber, leck, leder, leer, lehr, lehre, lehrer
lehrgang, lehrling, leih, leiste, leisten, leistung, leistungen, leiter, leitfaden, leitfäden, leitung, leitungen, lern, lese
lesebestätigung, lesezeichen, letzt, leucht, leute, licht, lichter, liebes, liefer, lieferant, lieferanten, lieferung, lieferungen
limit, limits, linie, linien, link, links, liste, listen, liter, live, livestream, lizenz, lizenzen, lizenzgeber, lizenzschlüssel, lkw
löffel, login, logins, logo, logos, logout, lohn, löhne, lokal, lösch, löschung, lösung, lösungen, lotterie, lotto, lücke, lücken, luft
lunge, magen, mahlzeit, mahlzeiten, mahn, mahnung, mahnungen, mail, mailbox, mails, makler, malware, manager, mandant, mandanten, mandat
mandate, mann, männer, mannschaft, mantel, marke, marken, marketing, markt, märkte, maschine, maschinen, maske, masken, maße, maßnahme
maßnahmen, maßstab, material, materialien, matratze, mauer, maus, medien, medikament, medikamente, medium, medizin, meer, meeting
meetings, mehr, mehrheit, mehrwert, mehrwertsteuer, meinung, meinungen, meister, meisterschaft, melde, meldung, meldungen, menge, mengen
mensch, menschen, mentor, menü, menüs, messe, messer, messung, messungen, metall, meter, methode, methoden, metzger, miet, miete, mieten
mieter, migration, migrationen, mikrofon, mikrofone, milch, million, millionen, minderheit, minderung, mindest, miniatur, ministerien
ministerium, minute, minuten, misch, missbrauch, mitarbeiter, mitarbeiterin, mitglied, mitglieder, mitnahme, mitschnitt, mittag
mittagessen, mitteilung, mitteilungen, mittel, mobbing, möbel, mobil, mobilfunk, mode, modell, modelle, moderator, moderatoren
modernisierung, modi, modul, module, modus, möglichkeit, möglichkeiten, monat, monate, monatsende, mond, morgen, motor, motoren
motorrad, motorräder, müll, münze, münzen, museen, museum, musik, musiker, muskel, muster, mutter, mütter, mutterschaft, mutterschutz
nachbar, nachbarn, nachfolge, nachfolger, nachhaltigkeit, nachlass, nachname, nachnamen, nachricht, nachrichten, nacht, nächte, nachteil
nachteile, nachweis, nachweise, nachzahlung, nadel, nagel, näh, nahrung, name, namen, nase, nass, national, natur, neben, nebenkosten
netz, netze, netzwerk, netzwerke, neu, newsletter, niere, norm, normal, normen, notar, notare, notdienst, note, noten, notfall, notfälle
notfallplan, notruf, nummer, nummern, nutzen, nutzer, nutzung, nutzungen, obergrenze, objekt, objekte, obst, ofen, öffentlich, offline
öffnung, öffnungszeiten, ohr, ohren, öko, onboarding, online, onlineshop, operation, operationen, ordner, ordnung, ordnungen
organisation, organisationen, ort, ortung, ostern, paket, pakete, papier, papiere, papierform, papierkorb, parameter, parfüm, park
parken, parkhaus, parkplatz, parkplätze, partei, parteien, partner, partnerin, party, pass, pässe, passwort, passwörter, patch, patent
patente, patient, patienten, pauschal, pauschale, pauschalen, pause, pausen, pdf, pendler, pension, pensionen, periode, perioden, person
personal, personen, pfad, pfade, pfanne, pferd, pferde, pflanze, pflanzen, pflege, pflegegrad, pflegeheim, pflicht, pflichten, phase
phasen, phishing, physik, pilot, piloten, pin, pinsel, pkw, plan, pläne, planer, planung, planungen, plastik, platte, platten, plattform
plattformen, platz, plätze, plugin, plugins, podcast, pokal, police, policen, politik, polizei, portal, portale, porto, position
positionen, post, postfach, postleitzahl, praktikant, praktikanten, praktikum, prämie, prämien, prävention, preis, preise, preisliste
premium, presse, privat, probe, proben, probezeit, probier, problem, probleme, produkt, produkte, produktion, profil, profilbild
profile, programm, programme, programmierer, programmierung, projekt, projekte, protokoll, protokolle, protokollierung, provision
provisionen, proxy, prozent, prozentsatz, prozess, prozesse, prozessor, prüf, prüfer, prüfung, prüfungen, psyche, pumpe, pumpen, punkt
punkte, push, qualifikation, qualifikationen, qualität, qualitäts, quartal, quartale, quell, quelle, quellen, quer, quittung, quittungen
quote, quoten, rabatt, rabatte, rad, radio, rahmen, rang, ranking, rasen, rate, raten, rathaus, rauch, raum, räume, rechen
rechenzentrum, rechner, rechnung, rechnungen, recht, rechte, rechtsschutz, recycling, redaktion, reederei, regal, regale, regel, regeln
regelung, regelungen, regen, regierung, region, regionen, registrierung, registrierungen, reha, reinigung, reise, reisen, reisepass
reit, reiter, reklamation, reklamationen, release, rennen, renovierung, rente, renten, rentner, reparatur, reparaturen, reservierung
reservierungen, rest, restaurant, restaurants, retoure, retouren, rettung, revision, rezept, rezepte, richter, richtlinie, richtlinien
risiken, risiko, roboter, rohr, rohre, rohstoff, rohstoffe, rolle, rollen, rollstuhl, route, routen, router, rücken, rückerstattung
rückerstattungen, rückfrage, rückfragen, rückgabe, rückgaben, rückkehr, rücklage, rücklagen, rücklauf, rückmeldung, rückmeldungen
rückreise, rückruf, rückrufe, rucksack, rückseite, rücksendung, rücksendungen, rückstand, rückstände, rücktritt, rückzahlung
rückzahlungen, ruf, rufbereitschaft, rufnummer, rund, sach, sachbearbeiter, sachbearbeitung, sache, sachen, sack, säge, saison, saldo
salz, sammel, sand, sänger, sanierung, satz, sätze, säugling, sauna, scanner, schaden, schäden, schadenfall, schadens, schalt, schalter
schaltfläche, schaltflächen, schätzung, scheidung, schere, schicht, schichten, schiene, schienen, schiff, schiffe, schild, schilder
schirm, schlaf, schleife, schlichtung, schließ, schließung, schloss, schlösser, schluss, schlüssel, schlüsselwort, schmerz, schmerzen
schmuck, schnee, schneid, schnell, schnittstelle, schnittstellen, schnur, schokolade, schrank, schränke, schraube, schrauben, schreib
schreiben, schreibtisch, schreibtische, schrift, schriften, schritt, schritte, schuh, schuhe, schul, schuld, schulden, schuldner, schule
schulen, schüler, schulter, schulung, schulungen, schutz, schwachstelle, schwachstellen, schwangerschaft, schwarz, schwelle, schwimm
schwimmbad, seide, seife, seil, seite, seiten, sekunde, sekunden, selbst, selbstbeteiligung, seminar, seminararbeit, seminare, sender
sendung, sendungen, senior, senioren, senkung, server, servers, service, servicezeiten, shop, shops, sicherheit, sicherheiten
sicherheitslücke, sicherung, sicherungen, sicherungskopie, sieger, signal, signale, signatur, signaturen, silber, sim, sing, sitz, sitze
sitzplatz, sitzung, sitzungen, skalierung, skonto, skript, skripte, smartphone, smartphones, sms, sofort, software, solar, sommer
sommerreifen, sonder, sonne, sonnen, sortierung, sortiment, spalte, spalten, spam, spar, sparbuch, spareinlage, spedition, speicher
speicherplatz, speicherung, speise, speisen, spende, spenden, sperr, sperre, sperren, sperrliste, sperrung, sperrungen, spesen, spezial
spiegel, spiel, spiele, spieler, spielplatz, spielzeug, sport, sprach, sprache, sprachen, sprecher, spül, spülmaschine, sso, staat
staaten, stab, stadt, städte, stadtteil, staffel, stand, standard, standardmäßig, standards, stände, standort, standorte, stange
stangen, start, startseite, station, stationen, statistik, statistiken, status, staub, staubsauger, stein, steine, stelle, stellen
stellung, stellungnahme, stempel, stern, sterne, steuer, steuerberater, steuern, steuerung, stichtag, stichwort, stichwörter, sticker
stift, stifte, stiftung, stiftungen, stimm, stimme, stimmen, stock, stockwerk, stoff, stoffe, stopp, store, stores, stornierung
stornierungen, storno, störung, störungen, straf, strafe, strafen, straftat, strand, strände, straße, straßen, strategie, strategien
stream, streaming, strecke, streit, streitfall, stress, strick, strom, struktur, strukturen, stück, stücke, student, studenten, studium
stufe, stufen, stuhl, stühle, stummschaltung, stunde, stunden, sturm, such, suche, suchen, sucht, summe, summen, super, supermarkt
support, symbol, symbole, synchronisation, synchronisierung, system, systeme, tabak, tabelle, tabellen, tablet, tablets, tablette
tabletten, tafel, tafeln, tag, tage, tagung, tagungen, tank, tanken, tanz, tänzer, tarif, tarife, tasche, taschen, tasse, tastatur
tastaturen, taste, tasten, tastenkombination, tätigkeit, tätigkeiten, tauch, tausch, tausend, taxi, taxis, team, teams, technik
techniker, technologie, technologien, tee, teil, teile, teilnahme, teilnehmer, teilzeit, telearbeit, telefon, telefonat, telefonate
telefone, telefonie, telefonnummer, temperatur, temperaturen, tennis, teppich, termin, terminal, termine, test, testament, tests, text
texte, textnachricht, theater, theke, thema, themen, therapie, therapien, thread, threads, ticket, tickets, tief, tiefe, tiefen, tier
tiere, tilgung, titel, tod, todes, token, tokens, ton, töne, tonne, tonnen, topf, töpfe, tor, tour, touren, tourismus, tourist
touristen, tracking, träger, training, trainings, traktor, transfer, transfers, transkript, transkripte, traum, träume, treff, treffen
treiber, trennung, treppe, treppen, tresor, treue, trink, trocken, tropfen, tuch, tücher, tunnel, tür, türen, tüte, tüten, typ, übergabe
übergang, übermittlung, übernachtung, übernachtungen, übernahme, überprüfung, überschrift, überschriften, übersetzung, übersetzungen
übersicht, übersichten, überstunde, überstunden, übertragung, übertragungen, überwachung, überweisung, überweisungen, uhr, uhren
uhrzeit, umfrage, umfragen, umgebung, umgebungen, umkleide, umlage, umleitung, umsatz, umsätze, umsatzsteuer, umstand, umstände
umtausch, umwelt, umzug, umzüge, unfall, unfälle, unfalls, uniform, universität, universitäten, unterbrechung, untergrenze, unterhalt
unterkategorie, unterkategorien, unterkunft, unterkünfte, unterlage, unterlagen, unternehmen, unternehmer, unterordner, unterricht
unterschied, unterschiede, unterschrift, unterschriften, unterstützung, untersuchung, untersuchungen, untertitel, update, updates
upgrade, upgrades, upload, uploads, urheber, urheberrecht, urkunde, urkunden, url, urlaub, urlaube, ursache, ursachen, urteil, urteile
usb, variable, variablen, vater, väter, ventil, veränderung, veranstalter, veranstaltung, veranstaltungen, veranstaltungsort
verantwortung, verarbeitung, verband, verbände, verbindung, verbindungen, verbot, verbote, verbrauch, verbraucher, verein, vereinbarung
vereinbarungen, vereine, verfahren, verfasser, verfassung, verfügbarkeit, vergabe, vergleich, vergleiche, vergünstigung, vergünstigungen
vergütung, vergütungen, verhalten, verifizierung, verjährung, verkauf, verkäufe, verkäufer, verkehr, verkehrsmittel, verlag
verlängerung, verlängerungen, verlauf, verläufe, verletzung, verletzungen, verlust, verluste, vermieter, vermittlung, vermögen
veröffentlichung, verordnung, verordnungen, verpackung, verpackungen, verpflegung, verpflichtung, verpflichtungen, versammlung
versammlungen, versand, verschlüsselung, verschwiegenheit, versicherer, versicherung, versicherungen, versicherungsnehmer, version
versionen, verstoß, verstöße, versuch, versuche, verteidigung, verteiler, verteilung, vertrag, verträge, vertrags, vertragsende
vertrauen, vertraulichkeit, vertreter, vertretung, vertrieb, verwalter, verwaltung, verwaltungen, verwendung, verzeichnis, verzeichnisse
verzug, verzugs, video, videos, vielfalt, viren, virtuell, virus, visa, visum, vize, voicemail, volk, voll, vollmacht, vollmachten
vollständigkeit, vollstreckung, vollzeit, vorauszahlung, vorbehalt, vorbereitung, vorbeugung, vorbild, vorfall, vorfälle, vorgang
vorgänge, vorgänger, vorgesetzte, vorhang, vorhänge, vorkasse, vorlage, vorlagen, vormund, vorname, vornamen, vorrat, vorräte, vorschau
vorschlag, vorschläge, vorschrift, vorschriften, vorsorge, vorstand, vorstände, vorteil, vorteile, vpn, wach, wache, wächter, wagen
wahl, wahlen, wahlrecht, währung, währungen, wald, wälder, wallet, wander, wanderung, ware, waren, warenkorb, warm, wärme, warmwasser
warn, warnung, warnungen, warte, warteschlange, warteschlangen, warteschleife, wartezeit, wartung, wartungen, wasch, wäsche
waschmaschine, wasser, wasserschaden, web, webhook, webhooks, webinar, webinare, webseite, webseiten, webshop, website, websites
wechsel, wechselkurs, weg, wege, weihnacht, weihnachten, wein, weiß, weiterbildung, weiterbildungen, weitergabe, weiterleitung
weiterleitungen, wellness, werbe, werbung, werk, werke, werktag, werktage, werkzeug, werkzeuge, wert, werte, wertpapier, wertpapiere
wettbewerb, wette, wetten, wetter, widerruf, widerspruch, widersprüche, widget, widgets, wiederherstellung, wind, winter, winterreifen
wirkung, wirkungen, wirt, wirte, wirtschaft, wissen, wissenschaft, wlan, woche, wochen, wochenende, wochentag, wohn, wohnort, wohnung
wohnungen, wolle, workshop, workshops, wort, wörter, wunsch, wünsche, zahl, zahlen, zahlenwert, zähler, zahlung, zahlungen, zahn
zahnarzt, zähne, zaun, zeichen, zeile, zeilen, zeit, zeiten, zeitplan, zeitpunkt, zeitraum, zeitschrift, zeitschriften, zeitung
zeitungen, zelle, zellen, zelt, zentral, zentrale, zentren, zentrum, zertifikat, zertifikate, zertifizierung, zertifizierungen, zeugnis
zeugnisse, ziegel, zieh, ziel, ziele, zielgruppe, zielseite, ziffer, ziffern, zimmer, zins, zinsen, zoll, zölle, zone, zonen, zoo
zubehör, zucker, zufriedenheit, zug, zugang, zugänge, zugangs, zugriff, zugriffe, zukunft, zulage, zulagen, zunahme, zuordnung, zusage
zusagen, zusammenfassung, zusatz, zuschlag, zuschläge, zuschuss, zuschüsse, zustand, zustände, zuständigkeit, zustell, zustellung
zustimmung, zustimmungen, zuteilung, zuverlässigkeit, zuweisung, zweck, zwecke, zweig, zweit, zwischen, zwischenablage
`,
};

export const deTalk = {
  'small-talk': `
// What people say to an assistant when they ask the documents nothing: words in order, 'a/b' one of several, '?' after what may be missing.
// No word that a question about a product could be made of.
beside: und, aber, dann, also, na, auch, noch, schon, mal, sehr, wirklich, echt, dir, euch, ihnen, zusammen, alle, allerseits, leute, heute, erstmal, doch, an alle, für alles/heute, für die/deine/ihre/eure schnelle/tolle/gute/super/nette? hilfe/antwort/auskunft/unterstützung/erklärung/rückmeldung/info
greeting: hallo, hallöchen, moin, servus, grüezi, huhu, tach, guten/schönen morgen/tag/abend/nachmittag, morgen, grüß gott/dich, wie gehts/gehts/geht es? dir/ihnen/euch? heute/so?, wie läufts, alles klar/gut, mir gehts/geht es? gut, und dir/ihnen/selbst, freut mich, willkommen
thanks: danke, merci vielmals/dir, dankeschön, vielen/herzlichen/besten/lieben/tausend lieben/herzlichen? dank, danke schön/sehr/dir/euch/ihnen/vielmals/nochmal/nochmals, danke im voraus, ich danke dir/ihnen/euch, klasse, toll, prima, spitze, perfekt, wunderbar, großartig, genial, mega, hervorragend, ausgezeichnet, fantastisch, gut, schön, sehr/echt/richtig/wirklich gut/schön/nett/hilfreich/toll/gerne?, gut/super/toll gemacht, gute/super/tolle arbeit/antwort/erklärung/idee, das ist/war/hat sehr/mir/echt? sehr? gut/hilfreich/nett/super/klar/geholfen/alles, hat mir? sehr? geholfen, das hilft mir? sehr?, ja, jo, jep, jawohl, nein, nö, nee, klar, genau, richtig, stimmt, verstanden, verstehe, ich verstehe, einverstanden, gerne, gern, natürlich, passt, ach so, achso, na gut/klar, kein problem, keine ursache, bitte, bitte schön/sehr, bitteschön, schon gut/klar, macht nichts, entschuldigung, verzeihung, schade, egal, tut mir sehr? leid, einen? moment bitte?, in ordnung, alles gute
bye: tschüss, tschüs, tschau, ade, wiedersehen, auf wiedersehen/wiederhören, bis dann/bald/später/morgen/demnächst, gute nacht, machs/mach gut, mach es gut, das wars/war/reicht es/alles? für? heute/erstmal?, schönes wochenende, schönen/schöne abend/tag/feierabend/woche noch?, einen? schönen tag/abend noch?, gleichfalls, ebenso
help: hilfe, hilf mir/uns?, wer/was bist/sind du/sie/ihr eigentlich/denn?, wie heißt/heißen du/sie, bist/sind du/sie ein/eine? echter/echte? bot/roboter/mensch/ki/maschine/chatbot/da, was kannst/können/machst du/sie eigentlich/denn/alles? für? mich/uns? tun/machen?, was kann ich dich/sie/hier? alles? fragen, wobei/womit/wie kannst/können du/sie mir/uns? helfen/weiterhelfen, kannst/können/könnten/könntest/kann du/sie/jemand mir/uns? bitte/mal/kurz? helfen/weiterhelfen, ich brauche/bräuchte/benötige deine/ihre/etwas/mal? hilfe, ich/wir habe/hätte/haben mal/noch? eine kurze/kleine? frage, noch? eine kurze/kleine? frage, darf/kann/dürfte ich dich/sie/mal? kurz/mal? etwas/was/eine fragen/frage stellen?, welche themen/dokumente kennst/kennen/hast/haben/gibt du/sie/es, was weißt/wissen/kennst du/sie alles?, ist da/hier? jemand da/hier?, jemand da/hier, stell dich bitte? vor, erzähl mir? etwas/was/mehr über dich
`,
  'person-request': `
// See the English list.
beside: bitte, jetzt, sofort, endlich, direkt, persönlich, lieber, einfach, nur, gern, gerne, mal, kurz, telefonisch, am telefon, kein/keinem/keinen/keine bot/roboter/maschine/chatbot/ki, nicht mit einem/einer/dem/der? bot/roboter/maschine/chatbot/ki, statt/anstatt mit? einem/einer/dem/der? bot/roboter/maschine/chatbot/ki, aus/von ihrem/eurem/dem team/support/kundendienst/kundenservice, vom kundendienst/kundenservice/support
want: ich/wir möchte/möchten/will/wollen/muss/müssen/würde/würden/brauche/brauchen/benötige/hätte/wünsche/verlange/bevorzuge gern/gerne/lieber/bitte/jetzt?, kann/könnte/darf/dürfte ich/man, können/könnten/dürfen/dürften wir, können/könnten/kannst/könntest/würden/würdest sie/du/ihr mich/uns?, geben/holen sie mir/uns, gib/hol mir/uns, lassen sie mich, lass mich, ist es möglich, gibt es die möglichkeit, besteht die möglichkeit, möchte/will
contact: sprechen, reden, chatten, telefonieren, zu sprechen/reden, gesprochen werden, verbinden, verbunden werden?, weitergeleitet werden?, weiterleiten, weiterverbinden, durchstellen, durchgestellt werden?, übergeben, verbinden sie mich/uns, verbinde/verbindet mich/uns, leiten sie mich/uns weiter?, stellen sie mich/uns durch?, kontakt mit, kontakt aufnehmen
near: mit, an, zu, von, einem, einer, einen, eine, ein, dem, der, den, die, ihrem, eurem, ihren, euren, echten, echter, echte, echtem, richtigen, richtiger, richtige, richtigem, lebenden, lebendigen, menschlichen, menschlicher, realen, wirklichen
person: mensch, menschen, mitarbeiter, mitarbeiterin, person, berater, beraterin, kundenberater, kundenbetreuer, kollegen, kollegin, ansprechpartner, ansprechpartnerin, agent, agenten, operator, sachbearbeiter, sachbearbeiterin, vorgesetzten, vorgesetzte, jemand/jemandem/jemanden echtem/echten/echtes/anderem/anders/richtigem?, kundendienst, kundenservice, kundensupport, support, hotline
whole: mensch bitte, mitarbeiter bitte, echter/ein mensch bitte?, echte person bitte?, menschliche/persönliche hilfe/beratung/unterstützung bitte?, rufen sie mich/uns bitte? an/zurück, ruft mich bitte? an/zurück, kann/könnte mich/uns bitte? jemand anrufen/zurückrufen, bitte um rückruf, wie kann ich mit einem/einer echten? menschen/mitarbeiter/person sprechen/reden
about: wegen, über, um, weil, bezüglich, da, zu meiner/meinem/meinen/dieser/diesem, der/die mir/mich/uns/sich
`,
  suggestions: `
// See the English list. German verbs end a heading: 'verbs' are its last word.
topic: Was muss ich über „{}“ wissen?; steps: Wie geht das: {}?; last: yes
asking: was ist, was sind, was kostet, was passiert, was bedeutet, wie kann, wie lange, wie oft, wie viel, wie viele, wie funktioniert, warum ist, warum wird, wann ist, wann wird, wer ist, wer kann, wo ist, wo finde, kann ich, muss ich, darf ich, gibt es, welche, welcher, welches, wie lautet, wie hoch, wie wird, wie werden
verbs: aktivieren, ändern, anlegen, anmelden, anpassen, beantragen, bearbeiten, bestellen, bezahlen, deaktivieren, drucken, einladen, einrichten, einreichen, erstellen, exportieren, herunterladen, hinzufügen, hochladen, importieren, installieren, konfigurieren, kündigen, löschen, melden, öffnen, prüfen, registrieren, reklamieren, speichern, starten, stornieren, teilen, übertragen, umtauschen, verbinden, verlängern, verschieben, verwalten, widerrufen, wiederherstellen, zurückgeben, zurücksetzen, zurücksenden
generic: übersicht, überblick, einleitung, einführung, inhalt, inhaltsverzeichnis, zusammenfassung, fazit, hintergrund, anhang, literatur, quellen, siehe auch, weitere informationen, hinweise, hinweis, beispiele, beispiel, faq, häufige fragen, häufig gestellte fragen, fragen und antworten, erste schritte, nächste schritte, allgemeines, sonstiges, details, kontakt, impressum, links, glossar, begriffe, zweck, geltungsbereich, voraussetzungen, installation, konfiguration, verwendung, optionen, parameter, änderungen, lizenz, startseite, beschreibung, merkmale, funktionen, vorwort, weblinks, einzelnachweise
clause: was, wie, wann, warum, wer, wo, welche, welcher, welches, wofür, womit, ich, wir, uns, unser, unsere, unserer, mein, meine, du, dein, deine, er, es, ist, sind, war, waren, wird, werden, kann, können, muss, müssen, soll, sollen, nicht, wenn, bitte, hier, schritt, teil, kapitel, abschnitt, abbildung, tabelle, phase, lektion, version, tipp, tipps, beispiel, frau, herr, dr, liebe, lieber, hallo, neu, intern, vertraulich, entwurf
pointing: er, es, diese, dieser, dieses, dort, hier, wir, uns, ihn, ihm
`,
};

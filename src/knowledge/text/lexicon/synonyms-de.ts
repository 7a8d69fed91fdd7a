/**
 * German near-synonyms of policies, product help and developer docs, one group per line, entries separated by commas, lower case.
 * Refuses opposites, wider terms and function words.
 */

const business = `
geld zurück, geld wieder, rückerstattung, erstattung, rückzahlung, erstatten, zurückzahlen
wie viel, preis, kosten, gebühr, kostet, was kostet
preisliste, preise, tarifübersicht, preisübersicht
günstig, billig, preiswert, kostengünstig
kostenlos, gratis, kostenfrei, umsonst, unentgeltlich
rabatt, preisnachlass, ermäßigung, vergünstigung, nachlass
gutschein, rabattcode, gutscheincode, aktionscode, coupon
angebot, kostenvoranschlag, offerte
bezahlen, zahlen, zahlung, bezahlung, begleichen
rechnung, faktura, rechnungsbeleg
beleg, quittung, kassenbon, kaufbeleg, zahlungsnachweis
zahlungsart, zahlungsmethode, zahlungsweise, zahlungsmittel, zahlungsmöglichkeit
überweisung, banküberweisung, überweisen
lastschrift, bankeinzug, abbuchung, einzugsermächtigung, sepa-lastschrift
rate, ratenzahlung, teilzahlung
überfällig, zahlungsverzug, mahnung, offene rechnung, nicht bezahlt
doppelt abgebucht, doppelte abbuchung, zweimal abgebucht, doppelt belastet
mehrwertsteuer, umsatzsteuer, mwst, ust
guthaben, gutschrift, kontostand
abo, abonnement, mitgliedschaft
tarif, plan, paket, abonnement
probezeitraum, testphase, kostenlos testen, testzeitraum, probeabo, testversion
verlängern, verlängerung, automatische verlängerung, erneuern
kündigen, kündigung, beenden, vertrag beenden, abbestellen
kündigungsfrist, frist zur kündigung, kündigungstermin
mindestlaufzeit, vertragslaufzeit, vertragsdauer, laufzeit
stornieren, stornierung, storno, absagen
widerruf, widerrufsrecht, widerrufsfrist, vom vertrag zurücktreten, rücktrittsrecht
vertrag, vereinbarung, abkommen
agb, geschäftsbedingungen, nutzungsbedingungen, vertragsbedingungen
richtlinie, regelung, vorschrift, vorgabe, policy
leitfaden, anleitung, handbuch, leitlinie
pflicht, verpflichtend, obligatorisch, vorgeschrieben, verbindlich
freiwillig, optional, nicht verpflichtend
gesetz, gesetzlich, rechtlich, rechtsvorschrift
anwalt, rechtsanwalt, jurist
haftung, haften, haftbar
garantie, gewährleistung
verstoß, verstoßen, verletzung, zuwiderhandlung
einhalten, einhaltung, befolgen, compliance
vertraulich, geheim, vertraulichkeit, geheimhaltung, verschwiegenheit
dritter, drittanbieter, externer anbieter, fremdfirma
auftragsverarbeitung, avv, auftragsverarbeitungsvertrag
kaufen, erwerben, bestellen, kauf, bestellung
kunde, kundin, auftraggeber
lieferant, anbieter, zulieferer
lieferung, versand, zustellung, liefern, versenden, verschicken
lieferzeit, versanddauer, lieferdauer, wann kommt
versandkosten, lieferkosten, porto, versandgebühr
sendungsverfolgung, sendung verfolgen, paketverfolgung, sendungsnummer
paket, päckchen, sendung
rücksendung, retoure, zurückschicken, zurücksenden, rückgabe, zurückgeben
umtausch, umtauschen, tauschen, austausch
beschädigt, kaputt, defekt, mangelhaft
reklamation, reklamieren, beanstandung, mängelrüge
auf lager, lieferbar, verfügbar, vorrätig
ausverkauft, nicht verfügbar, vergriffen, nicht lieferbar
warenkorb, einkaufswagen, einkaufskorb
termin, verabredung, terminvereinbarung
reservieren, buchen, reservierung, buchung
verschieben, verlegen, umbuchen`;

const workplace = `
urlaub, ferien, freie tage, freizeit, jahresurlaub, urlaubstage
feiertag, gesetzlicher feiertag
krank, krankheit, krankmeldung, krankschreibung, arbeitsunfähig, erkrankt
attest, krankschein, arbeitsunfähigkeitsbescheinigung, au-bescheinigung
elternzeit, mutterschutz, babypause, vaterschaftsurlaub
schwanger, schwangerschaft
todesfall, trauerfall, beerdigung, sonderurlaub
abwesenheit, abwesend
gehalt, lohn, vergütung, verdienst, bezahlung
gehaltsabrechnung, lohnabrechnung, gehaltszettel, lohnzettel, entgeltabrechnung
gehaltserhöhung, lohnerhöhung, mehr gehalt
überstunden, mehrarbeit, überzeit
bonus, prämie, sonderzahlung
rente, altersvorsorge, pension, ruhestand
spesen, auslagen, reisekosten, aufwendungen
dienstreise, geschäftsreise
unterkunft, hotel, übernachtung
flug, fliegen, flugreise
bahn, zug, bahnfahrt
verpflegung, essen, mahlzeit
auto, pkw, fahrzeug, wagen
laptop, notebook, computer, rechner
gerät, ausstattung, hardware, equipment, ausrüstung
handy, smartphone, mobiltelefon, diensthandy
homeoffice, mobiles arbeiten, von zuhause arbeiten, remote arbeiten, telearbeit
arbeitszeit, arbeitsstunden, bürozeiten
gleitzeit, flexible arbeitszeit
teilzeit, reduzierte stunden
mitarbeiter, angestellter, beschäftigter, arbeitnehmer, personal
chef, vorgesetzter, führungskraft, teamleiter
kollege, kollegin, teammitglied
personalabteilung, hr, personalwesen
probezeit, einarbeitungszeit
einarbeitung, onboarding, erster tag
bewerbung, bewerben, bewerber
stelle, arbeitsplatz, job, position
weiterbildung, fortbildung, schulung, kurs
belästigung, mobbing, schikane
diskriminierung, benachteiligung, ungleichbehandlung
beschwerde, beschweren
genehmigung, genehmigen, freigabe, freigeben, bewilligung
antrag, beantragen
vorschuss, vorauszahlung, anzahlung`;

const product = `
anmelden, einloggen, login, anmeldung, einwählen
abmelden, ausloggen, logout
registrieren, registrierung, konto erstellen, konto anlegen
konto, account, benutzerkonto, profil
konto löschen, account löschen, konto schließen, konto entfernen
passwort, kennwort
passwort vergessen, passwort zurücksetzen, kennwort ändern, passwort ändern
zwei-faktor-authentifizierung, 2fa, zweistufige anmeldung, mfa
bestätigungscode, einmalcode, sicherheitscode
e-mail, mail, mailadresse, email
benutzername, nutzername, anzeigename
benutzer, nutzer, anwender, user
administrator, admin, verwalter
rolle, berechtigungsstufe
berechtigung, recht, zugriffsrecht, erlaubnis, befugnis
erlauben, zulassen, gestatten, genehmigen
verbieten, untersagen, nicht erlaubt, verboten, unzulässig
sperren, blockieren, sperrung, gesperrt
einladen, einladung
teilen, freigeben
datenschutz, privatsphäre, dsgvo
personenbezogene daten, persönliche daten, nutzerdaten
einwilligung, zustimmung, einverständnis
verschlüsselung, verschlüsseln, verschlüsselt
datenpanne, datenleck, sicherheitsvorfall
gehackt, kompromittiert, fremder zugriff
benachrichtigung, mitteilung, meldung, hinweis, push-nachricht
stummschalten, benachrichtigungen ausschalten, nicht stören
nachricht, mitteilung, chatnachricht
anruf, telefonat, anrufen, telefonieren
videoanruf, videokonferenz, videotelefonie
mikrofon, mikro
aufzeichnung, aufzeichnen, aufnahme, aufnehmen, mitschnitt, mitschneiden
bildschirm teilen, bildschirmfreigabe, bildschirmübertragung
foto, bild, aufnahme
datei, dokument
ordner, verzeichnis
anhang, dateianhang
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
schnell, zügig, rasch`;

const developer = `
funktion, methode
parameter, argument
variable, umgebungsvariable
installieren, einrichten, installation, einrichtung
ausführen, starten, laufen lassen
anhalten, stoppen, abbrechen, beenden
neu starten, neustart
bereitstellen, deployment, veröffentlichen
datenbank, db
zwischenspeicher, cache
anfrage, request
antwort, response, rückmeldung
schnittstelle, api
zugriffstoken, token, api-schlüssel, zugangsschlüssel
grenze, limit, höchstgrenze, obergrenze, maximum
version, ausgabe
aktualisieren, update, aktualisierung
dokumentation, doku, handbuch`;

const moreEveryday = `
baby, geburt, kind, neugeborenes, nachwuchs
vater, mutter, eltern, elternteil
hotel, unterkunft, übernachtung, übernachten
nacht, nachts, ruhezeit, nachtruhe
phishing, betrug, betrügerisch, verdächtig, sicherheitsvorfall
beleidigen, beleidigung, beschimpfen, belästigung, mobbing
herunterladen, download, export, exportieren
telefonat, anruf, gespräch, telefongespräch
teilnehmer, beteiligte, gesprächspartner
down, ausgefallen, ausfall, störung, nicht erreichbar
bescheid sagen, ankündigen, mitteilen, melden
gefällt nicht, unzufrieden, widerruf
stadt, großstadt, ort
gast, externe, besucher
bezahlen, zahlen, zahlung, begleichen
kündigen, kündigung, gekündigt, beenden`;

const everyday = `
täglich, pro tag, jeden tag
wöchentlich, pro woche, jede woche
monatlich, pro monat, jeden monat
jährlich, pro jahr, jedes jahr, im jahr
frist, stichtag, letzter termin
wie lange, dauer, zeitraum
wie oft, häufigkeit
sofort, umgehend, unverzüglich
werktag, arbeitstag
öffnungszeiten, geschäftszeiten, servicezeiten
voraussetzung, anforderung, bedingung
mehrere, verschiedene
erhöhen, steigern, vergrößern
senken, reduzieren, verringern, verkleinern
auswählen, wählen, auswahl
suchen, finden
anzeigen, einsehen, ansehen
schicken, senden, einreichen
prüfen, überprüfen, kontrollieren
bestätigen, bestätigung
ablehnen, ablehnung, zurückweisen
ablauf, ablaufen, verfallen, ungültig werden
ausnahme, sonderfall
beschreiben, erläutern, beschreibung
vergleich, vergleichen, unterschied`;

export const germanSynonyms: string = [business, workplace, product, developer, moreEveryday, everyday].join('').trim();

/**
 * German words that compounds are made of: lower case, separated by white space, in alphabetical order; singular and plural.
 * Words of three letters are only those that hardly ever cut a word wrongly.
 * Left out on purpose: `tisch` (thematisch), `laden` (hochladen), `ende` (laufende).
 */
export const germanParts: string = `
abbruch abbuchung abbuchungen abend abende abendessen abfahrt abfall abfälle abfindung abfindungen abfuhr abgabe abgaben abhol abholung
abkommen abkürzung ablage ablauf abläufe ablehnung ablösung abmelde abmeldung abmeldungen abnahme abo abonnement abonnements abos
abrechnung abrechnungen abreise absage absatz absätze abschluss abschlüsse abschnitt abschnitte absender abstimmung abstimmungen absturz
abteilung abteilungen abwehr abwesenheit abwesenheiten abwicklung account accounts admin administrator administratoren admins adressbuch
adresse adressen agent agenten agentur agenturen akku akkus akte akten aktie aktien aktion aktionen aktivierung aktualisierung
aktualisierungen alarm alarmanlage alarme algorithmus alkohol allergie allergien allgemein alltag alt altersvorsorge ampel amt ämter amts
analog analyse analysen anbieter änderung änderungen anfrage anfragen angebot angebote angreifer angriff angriffe angst anhang anhänge
ankunft anlage anlagen anleihe anleihen anleitung anleitungen anmelde anmeldung anmeldungen annahme anpassung anreise anruf
anrufbeantworter anrufe anrufer anschluss anschlüsse anschrift ansicht ansichten ansprechpartner anspruch ansprüche anstellung anteil
anteile antrag anträge antwort antworten anwalt anwälte anwender anwendung anwendungen anwesenheit anzahl anzahlung anzeige anzeigen api
apotheke apotheken app arbeit arbeiten arbeiter arbeitgeber arbeitnehmer arbeitsplatz arbeitsschutz arbeitstag arbeitszeit archiv archive
archivierung armee artikel arznei arzneimittel arzt ärzte ärztin assistent assistenten assistenz attest attribut attribute audio audit
audits aufbewahrung aufenthalt aufenthalte aufgabe aufgaben aufklärung auflösung aufnahme aufnahmen aufsicht aufstellung auftrag aufträge
auftraggeber auftragnehmer aufzeichnung aufzeichnungen aufzug auge augen ausbildung ausbildungen ausdruck ausfall ausfälle ausflug
ausflüge ausgabe ausgaben ausgang ausgänge ausgleich auskunft auskünfte auslage auslagen ausland ausnahme ausnahmen ausreise ausschuss
ausschüsse außen ausstellung ausstellungen austausch auswahl ausweis ausweise auswertung auswertungen auszahlung auszahlungen auszug
auszüge authentifizierung authentisierung auto autobahn automat automaten automatisierung autor autoren autorisierung autos azubi baby
babys bäcker bäckerei backup backups bad bade bahn bahnen bahnhof bahnhöfe bahnsteig balkon bandbreite bank banken bargeld
barrierefreiheit basis batterie batterien bau bauer bauern bauherr baum bäume baumwolle baustein bausteine baustelle baustellen bearbeiter
bearbeitung beauftragte beauftragten beauftragter becher bedarf bedienung bedingung bedingungen bedrohung bedrohungen bedürfnis befehl
befehle befreiung befugnis befugnisse beginn begrenzung behandlung behandlungen behinderung behinderungen behörde behörden beispiel
beispiele beitrag beiträge bekanntmachung belästigung belastung belastungen beleg belege belegschaft beleuchtung benachrichtigung
benachrichtigungen benutzer benutzerkonto benutzername benutzernamen benutzung benzin berater beratung beratungen berechnung berechnungen
berechtigung berechtigungen bereich bereiche bereitschaft bereitstellung berg berge bericht berichte beruf berufe besatzung beschaffung
beschäftigung bescheid bescheide bescheinigung bescheinigungen beschränkung beschränkungen beschreibung beschreibungen beschwerde
beschwerden besen besitzer besprechung besprechungen bestand bestände bestands bestätigung bestätigungen bestechung bestell bestellung
bestellungen bestellwert bestimmung bestimmungen besuch besuche besucher beta beteiligung beteiligungen beton betrag beträge betreuer
betreuung betrieb betriebe betriebsrat betriebssystem betrug betrüger bett betten beurteilung beutel beweis beweise bewerber bewerbung
bewerbungen bewertung bewertungen bezahlung bezug bezüge bibliothek bibliotheken bier bilanz bilanzen bild bilder bilderrahmen bildschirm
bildschirme bildschirmfreigabe bildung bindung bio blatt blätter blau blitz blockchain blog blogs bluetooth blume blumen blut boden böden
bohr bohrer bonität bonus börse börsen box branche branchen brand breite breiten brenn brett bretter brief briefe briefkasten brille
brillen brot browser bruch brücke brücken buch bücher buchhaltung buchung buchungen budget budgets bügel bühne bühnen bund bundes bürger
büro büros bus buße bußgeld cache callcenter camping center chat chatbot chatbots chats chef chefs chemie chronik client clients cloud
cluster code codes compliance container controlling cookie cookies crew crowdfunding dach dächer dank danke darlehen darm dashboard datei
dateien daten datenbank datenbanken datensatz datenschutz datum dauer deaktivierung decke decken deckung demo depot depotbank depots
design desktop dezernat diagnose diagnosen diagramm diagramme diät diebstahl dienst dienste dienstleister dienstleistung dienstleistungen
dienstplan dienstreise diesel digital direktion direktor diskriminierung dividende dividenden dns dokument dokumentation dokumentationen
dokumente dollar domain domains doppel dorf dörfer dose dosen download downloads dreh dritt drittanbieter droge drogen druck drucker
druckerei durchschnitt durchwahl ebene ebenen echt echtzeit ecke effekt ehepartner eigen eigentum eigentümer eimer einbettung einbruch
eingabe eingaben eingang eingänge einkauf einkäufe einkommen einladung einladungen einnahme einnahmen einreise einrichtung einrichtungen
einschränkung einschränkungen einsicht einspruch einsprüche einstellung einstellungen einteilung eintrag einträge einwilligung
einwilligungen einzahlung einzahlungen einzel einziehung einzug einzugs elektro elektroauto element elemente eltern elternzeit email emoji
emojis empfänger empfehlung empfehlungen endbetrag endgerät endgeräte endkunde endkunden endnutzer endpreis endpreise energie energien
entfernung entgelt entnahme entschädigung entschädigungen entscheidung entscheidungen entschlüsselung entwickler entwicklung entwicklungen
entwurf entwürfe epoche erbrecht erbschaft ereignis ereignisse erfahrung erfahrungen erfassung erfolg erfolge ergänzung ergänzungen
ergebnis ergebnisse erhebung erhöhung erholung erinnerung erinnerungen erkältung erkennung erklärung erklärungen erkrankung erlaubnis
ermächtigung ermäßigung ermittlung ermittlungen ernährung eröffnung ersatz ersatzteil ersatzteile erst erstattung erstattungen erste
erteilung ertrag erträge erweiterung erweiterungen essen etage ethik etikett etiketten euro europa event events experte experten export
exporte extern extra fach fächer factoring faden fähigkeit fahne fahr fähre fähren fahrer fahrkarte fahrkarten fahrplan fahrrad fahrräder
fahrschein fahrt fahrten fahrzeug fahrzeuge faktor faktoren fall fälle fälligkeit familie familien farbe farben feedback fehler
fehlermeldung feier feierabend feiern feiertag feiertage feld felder fenster ferien fern fernsehen fernseher fernzugriff festnetz
festplatte festplatten feuer feuerwehr feuerwerk fieber figur filiale filialen film filme filter finanz finanzamt finanzen finanzierung
fingerabdruck firewall firma firmen fisch fläche flächen flasche flaschen fleisch flug flugblatt flüge flughafen flughäfen flugzeug
flugzeuge flur folge folgen folie folien fonds forderung förderung forderungen foren form format formate formen formular formulare
forschung fortbildung fortbildungen forum foto fotos fracht frage fragen franchise frau frauen frei freigabe freigaben freistellung
freizeit fremd freude freund freunde frisch friseur frist fristen frühbucher frühling frühstück führer führerschein führung führungen funk
funktion funktionen fusion fuß fußball füße gabel gang gänge ganz garage garagen garantie garantien garderobe garn garten gärten gas gase
gast gäste gastgeber gastronomie gebäude geber gebiet gebiete gebrauch gebrauchs gebraucht gebühr gebühren geburt geburten geburtstag
gedanke gedanken gefahr gefährdung gefühl gefühle gegenstand gegenstände gegenwart gehalt gehälter geheim geheimnis geheimnisse geld
geldautomat gelder gelenk gemeinde gemüse genehmigung genehmigungen gepäck gerät geräte gericht gerichte gesamt geschäft geschäfte
geschäftsführer geschäftszeiten geschenk geschenke geschirr geschwindigkeit gesellschaft gesellschaften gesellschafter gesetz gesetze
gesicht gespräch gespräche gestaltung gesundheit getränk getränke gewährleistung gewerbe gewerkschaft gewerkschaften gewicht gewichte
gewinn gewinne gewinnspiel gewinnspiele gitter glas gläubiger gleich gleichstellung gleis gleise gleitzeit global glück gold grad grafik
grafiken grafikkarte gratis grenze grenzen grippe groß größe größen grün grund gründe gründer grundlage grundlagen grundstück grundstücke
gründung gruppe gruppen gruppenchat gruß grüße gültigkeit gutachter guthaben gutschein gutscheine gutschrift gutschriften haar haare
hacker hafen häfen haftpflicht haftung hagel halb halbjahr halbjahre halter haltestelle haltestellen haltung hammer hand handbuch
handbücher hände handel handgepäck händler handtuch handwerk handwerker handy handys hardware haupt hauptsache haus hausarzt häuser
haushalt haushalte hausmeister hausnummer hausordnung hausrat haut headset headsets heft hefte heim heimarbeit heimat heime heiz heizung
hemd hemden herausgabe herbst herd hersteller herz hilfe hilfen hilfs hilfsmittel himmel hinreise hintergrund hinweis hinweise
hinweisgeber hoch hochschule hochschulen höchst hochzeit hochzeiten hof höhe höhen holz homeoffice homepage hörgerät hose hosen host
hosting hotel hotels hotline hund hunde hundert husten hygiene hypothek icon icons idee ideen identität immobilie immobilien impf impfpass
impfung impfungen import importe impressum index indizes industrie infektion infektionen information informationen inhaber inhalt inhalte
inkasso inland innenstadt insel inseln insolvenz installation installationen instanz instanzen institut institute institution
institutionen integration integrationen intelligenz interesse interessen intern international internet intranet invalidität investition
investitionen jacke jacken jahr jahre jahres jahresabschluss jahresende job journal jugend jugendliche kabel kachel kaffee kalender
kalkulation kalt kamera kameras kammer kammern kampagne kampagnen kanal kanäle kandidat kandidaten kante kantine kapazität kapital kapitän
kapitel karneval karriere karte karteikarte karteikarten kartell karten karton kartons käse kasko kasse kassen kasten kästen katalog
kataloge kategorie kategorien katze katzen kauf käufe käufer kaution keller kenn kenntnis kenntnisse kennung kennungen kennwort kennwörter
kennzahl kennzahlen kennzeichen kennzeichnung kette ketten kfz kilo kilogramm kilometer kilowatt kind kinder kinderbetreuung kindergarten
kino kinos kissen kiste kisten kita kitas klage klagen klasse klassen klausel klauseln kleb kleid kleider kleidung klein klick klicks
klima klingelton klinik kliniken knochen knopf knöpfe koch kodex koffer kollege kollegen kollegin kommentar kommentare kommission
kommissionen kommune kompetenz kompetenzen komponente komponenten konferenz konferenzen konferenzschaltung konfiguration konfigurationen
konflikt konflikte konkurs konsole kontakt kontakte konten konto kontoauszug kontoauszüge kontonummer kontrolle kontrollen konzept
konzepte konzern konzerne konzert konzerte kopf kopfhörer kopie kopien kopier korb körper korruption kosmetik kosten kraft kräfte
kraftstoff krank krankenhaus krankenhäuser krankenkasse krankenkassen krankheit krankheiten krankmeldung krankschreibung kredit kredite
kreditkarte kreis kreise kreuzfahrt kreuzung krypto küche kuchen küchen kühl kühlschrank kultur kunde kunden kundendienst kundenkonto
kundenservice kündigung kündigungen kundin kunst künstler kunststoff kurs kurse kurz kurzarbeit kürzel kürzung labor labore lade ladegerät
läden ladung lage lagen lager lagerung lampe lampen land länder landingpage lang länge längen laptop laptops last lastschrift
lastschriften lauf laufwerk laufwerke laufzeit laufzeiten lautsprecher lautstärke layout leak leasing leben lebens lebensmittel leber leck
leder leer lehr lehre lehrer lehrgang lehrling leih leiste leisten leistung leistungen leiter leitfaden leitfäden leitung leitungen lern
lese lesebestätigung lesezeichen letzt leucht leute licht lichter liebes liefer lieferant lieferanten lieferung lieferungen limit limits
linie linien link links liste listen liter live livestream lizenz lizenzen lizenzgeber lizenzschlüssel lkw löffel login logins logo logos
logout lohn löhne lokal lösch löschung lösung lösungen lotterie lotto lücke lücken luft lunge magen mahlzeit mahlzeiten mahn mahnung
mahnungen mail mailbox mails makler malware manager mandant mandanten mandat mandate mann männer mannschaft mantel marke marken marketing
markt märkte maschine maschinen maske masken maße maßnahme maßnahmen maßstab material materialien matratze mauer maus medien medikament
medikamente medium medizin meer meeting meetings mehr mehrheit mehrwert mehrwertsteuer meinung meinungen meister meisterschaft melde
meldung meldungen menge mengen mensch menschen mentor menü menüs messe messer messung messungen metall meter methode methoden metzger miet
miete mieten mieter migration migrationen mikrofon mikrofone milch million millionen minderheit minderung mindest miniatur ministerien
ministerium minute minuten misch missbrauch mitarbeiter mitarbeiterin mitglied mitglieder mitnahme mitschnitt mittag mittagessen
mitteilung mitteilungen mittel mobbing möbel mobil mobilfunk mode modell modelle moderator moderatoren modernisierung modi modul module
modus möglichkeit möglichkeiten monat monate monatsende mond morgen motor motoren motorrad motorräder müll münze münzen museen museum
musik musiker muskel muster mutter mütter mutterschaft mutterschutz nachbar nachbarn nachfolge nachfolger nachhaltigkeit nachlass nachname
nachnamen nachricht nachrichten nacht nächte nachteil nachteile nachweis nachweise nachzahlung nadel nagel näh nahrung name namen nase
nass national natur neben nebenkosten netz netze netzwerk netzwerke neu newsletter niere norm normal normen notar notare notdienst note
noten notfall notfälle notfallplan notruf nummer nummern nutzen nutzer nutzung nutzungen obergrenze objekt objekte obst ofen öffentlich
offline öffnung öffnungszeiten ohr ohren öko onboarding online onlineshop operation operationen ordner ordnung ordnungen organisation
organisationen ort ortung ostern paket pakete papier papiere papierform papierkorb parameter parfüm park parken parkhaus parkplatz
parkplätze partei parteien partner partnerin party pass pässe passwort passwörter patch patent patente patient patienten pauschal
pauschale pauschalen pause pausen pdf pendler pension pensionen periode perioden person personal personen pfad pfade pfanne pferd pferde
pflanze pflanzen pflege pflegegrad pflegeheim pflicht pflichten phase phasen phishing physik pilot piloten pin pinsel pkw plan pläne
planer planung planungen plastik platte platten plattform plattformen platz plätze plugin plugins podcast pokal police policen politik
polizei portal portale porto position positionen post postfach postleitzahl praktikant praktikanten praktikum prämie prämien prävention
preis preise preisliste premium presse privat probe proben probezeit probier problem probleme produkt produkte produktion profil
profilbild profile programm programme programmierer programmierung projekt projekte protokoll protokolle protokollierung provision
provisionen proxy prozent prozentsatz prozess prozesse prozessor prüf prüfer prüfung prüfungen psyche pumpe pumpen punkt punkte push
qualifikation qualifikationen qualität qualitäts quartal quartale quell quelle quellen quer quittung quittungen quote quoten rabatt
rabatte rad radio rahmen rang ranking rasen rate raten rathaus rauch raum räume rechen rechenzentrum rechner rechnung rechnungen recht
rechte rechtsschutz recycling redaktion reederei regal regale regel regeln regelung regelungen regen regierung region regionen
registrierung registrierungen reha reinigung reise reisen reisepass reit reiter reklamation reklamationen release rennen renovierung rente
renten rentner reparatur reparaturen reservierung reservierungen rest restaurant restaurants retoure retouren rettung revision rezept
rezepte richter richtlinie richtlinien risiken risiko roboter rohr rohre rohstoff rohstoffe rolle rollen rollstuhl route routen router
rücken rückerstattung rückerstattungen rückfrage rückfragen rückgabe rückgaben rückkehr rücklage rücklagen rücklauf rückmeldung
rückmeldungen rückreise rückruf rückrufe rucksack rückseite rücksendung rücksendungen rückstand rückstände rücktritt rückzahlung
rückzahlungen ruf rufbereitschaft rufnummer rund sach sachbearbeiter sachbearbeitung sache sachen sack säge saison saldo salz sammel sand
sänger sanierung satz sätze säugling sauna scanner schaden schäden schadenfall schadens schalt schalter schaltfläche schaltflächen
schätzung scheidung schere schicht schichten schiene schienen schiff schiffe schild schilder schirm schlaf schleife schlichtung schließ
schließung schloss schlösser schluss schlüssel schlüsselwort schmerz schmerzen schmuck schnee schneid schnell schnittstelle schnittstellen
schnur schokolade schrank schränke schraube schrauben schreib schreiben schreibtisch schreibtische schrift schriften schritt schritte
schuh schuhe schul schuld schulden schuldner schule schulen schüler schulter schulung schulungen schutz schwachstelle schwachstellen
schwangerschaft schwarz schwelle schwimm schwimmbad seide seife seil seite seiten sekunde sekunden selbst selbstbeteiligung seminar
seminararbeit seminare sender sendung sendungen senior senioren senkung server servers service servicezeiten shop shops sicherheit
sicherheiten sicherheitslücke sicherung sicherungen sicherungskopie sieger signal signale signatur signaturen silber sim sing sitz sitze
sitzplatz sitzung sitzungen skalierung skonto skript skripte smartphone smartphones sms sofort software solar sommer sommerreifen sonder
sonne sonnen sortierung sortiment spalte spalten spam spar sparbuch spareinlage spedition speicher speicherplatz speicherung speise
speisen spende spenden sperr sperre sperren sperrliste sperrung sperrungen spesen spezial spiegel spiel spiele spieler spielplatz
spielzeug sport sprach sprache sprachen sprecher spül spülmaschine sso staat staaten stab stadt städte stadtteil staffel stand standard
standardmäßig standards stände standort standorte stange stangen start startseite station stationen statistik statistiken status staub
staubsauger stein steine stelle stellen stellung stellungnahme stempel stern sterne steuer steuerberater steuern steuerung stichtag
stichwort stichwörter sticker stift stifte stiftung stiftungen stimm stimme stimmen stock stockwerk stoff stoffe stopp store stores
stornierung stornierungen storno störung störungen straf strafe strafen straftat strand strände straße straßen strategie strategien stream
streaming strecke streit streitfall stress strick strom struktur strukturen stück stücke student studenten studium stufe stufen stuhl
stühle stummschaltung stunde stunden sturm such suche suchen sucht summe summen super supermarkt support symbol symbole synchronisation
synchronisierung system systeme tabak tabelle tabellen tablet tablets tablette tabletten tafel tafeln tag tage tagung tagungen tank tanken
tanz tänzer tarif tarife tasche taschen tasse tastatur tastaturen taste tasten tastenkombination tätigkeit tätigkeiten tauch tausch
tausend taxi taxis team teams technik techniker technologie technologien tee teil teile teilnahme teilnehmer teilzeit telearbeit telefon
telefonat telefonate telefone telefonie telefonnummer temperatur temperaturen tennis teppich termin terminal termine test testament tests
text texte textnachricht theater theke thema themen therapie therapien thread threads ticket tickets tief tiefe tiefen tier tiere tilgung
titel tod todes token tokens ton töne tonne tonnen topf töpfe tor tour touren tourismus tourist touristen tracking träger training
trainings traktor transfer transfers transkript transkripte traum träume treff treffen treiber trennung treppe treppen tresor treue trink
trocken tropfen tuch tücher tunnel tür türen tüte tüten typ übergabe übergang übermittlung übernachtung übernachtungen übernahme
überprüfung überschrift überschriften übersetzung übersetzungen übersicht übersichten überstunde überstunden übertragung übertragungen
überwachung überweisung überweisungen uhr uhren uhrzeit umfrage umfragen umgebung umgebungen umkleide umlage umleitung umsatz umsätze
umsatzsteuer umstand umstände umtausch umwelt umzug umzüge unfall unfälle unfalls uniform universität universitäten unterbrechung
untergrenze unterhalt unterkategorie unterkategorien unterkunft unterkünfte unterlage unterlagen unternehmen unternehmer unterordner
unterricht unterschied unterschiede unterschrift unterschriften unterstützung untersuchung untersuchungen untertitel update updates
upgrade upgrades upload uploads urheber urheberrecht urkunde urkunden url urlaub urlaube ursache ursachen urteil urteile usb variable
variablen vater väter ventil veränderung veranstalter veranstaltung veranstaltungen veranstaltungsort verantwortung verarbeitung verband
verbände verbindung verbindungen verbot verbote verbrauch verbraucher verein vereinbarung vereinbarungen vereine verfahren verfasser
verfassung verfügbarkeit vergabe vergleich vergleiche vergünstigung vergünstigungen vergütung vergütungen verhalten verifizierung
verjährung verkauf verkäufe verkäufer verkehr verkehrsmittel verlag verlängerung verlängerungen verlauf verläufe verletzung verletzungen
verlust verluste vermieter vermittlung vermögen veröffentlichung verordnung verordnungen verpackung verpackungen verpflegung verpflichtung
verpflichtungen versammlung versammlungen versand verschlüsselung verschwiegenheit versicherer versicherung versicherungen
versicherungsnehmer version versionen verstoß verstöße versuch versuche verteidigung verteiler verteilung vertrag verträge vertrags
vertragsende vertrauen vertraulichkeit vertreter vertretung vertrieb verwalter verwaltung verwaltungen verwendung verzeichnis
verzeichnisse verzug verzugs video videos vielfalt viren virtuell virus visa visum vize voicemail volk voll vollmacht vollmachten
vollständigkeit vollstreckung vollzeit vorauszahlung vorbehalt vorbereitung vorbeugung vorbild vorfall vorfälle vorgang vorgänge vorgänger
vorgesetzte vorhang vorhänge vorkasse vorlage vorlagen vormund vorname vornamen vorrat vorräte vorschau vorschlag vorschläge vorschrift
vorschriften vorsorge vorstand vorstände vorteil vorteile vpn wach wache wächter wagen wahl wahlen wahlrecht währung währungen wald wälder
wallet wander wanderung ware waren warenkorb warm wärme warmwasser warn warnung warnungen warte warteschlange warteschlangen warteschleife
wartezeit wartung wartungen wasch wäsche waschmaschine wasser wasserschaden web webhook webhooks webinar webinare webseite webseiten
webshop website websites wechsel wechselkurs weg wege weihnacht weihnachten wein weiß weiterbildung weiterbildungen weitergabe
weiterleitung weiterleitungen wellness werbe werbung werk werke werktag werktage werkzeug werkzeuge wert werte wertpapier wertpapiere
wettbewerb wette wetten wetter widerruf widerspruch widersprüche widget widgets wiederherstellung wind winter winterreifen wirkung
wirkungen wirt wirte wirtschaft wissen wissenschaft wlan woche wochen wochenende wochentag wohn wohnort wohnung wohnungen wolle workshop
workshops wort wörter wunsch wünsche zahl zahlen zahlenwert zähler zahlung zahlungen zahn zahnarzt zähne zaun zeichen zeile zeilen zeit
zeiten zeitplan zeitpunkt zeitraum zeitschrift zeitschriften zeitung zeitungen zelle zellen zelt zentral zentrale zentren zentrum
zertifikat zertifikate zertifizierung zertifizierungen zeugnis zeugnisse ziegel zieh ziel ziele zielgruppe zielseite ziffer ziffern zimmer
zins zinsen zoll zölle zone zonen zoo zubehör zucker zufriedenheit zug zugang zugänge zugangs zugriff zugriffe zukunft zulage zulagen
zunahme zuordnung zusage zusagen zusammenfassung zusatz zuschlag zuschläge zuschuss zuschüsse zustand zustände zuständigkeit zustell
zustellung zustimmung zustimmungen zuteilung zuverlässigkeit zuweisung zweck zwecke zweig zweit zwischen zwischenablage
`;

package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func found(t *testing.T, c *Catalog, query string) []string {
	t.Helper()
	args, err := json.Marshal(map[string]any{"queries": []string{query}})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Error   string
		Results []struct {
			Matches []string
			Sources []sourceCount `json:"available_sources"`
			Hint    string
		}
	}
	if err := json.Unmarshal([]byte(c.Search(args, Options{})), &answer); err != nil || answer.Error != "" {
		t.Fatalf("%q: error %v %q", query, err, answer.Error)
	}
	result := answer.Results[0]
	if (len(result.Matches) == 0) != (result.Hint != "" && len(result.Sources) > 0) {
		t.Errorf("%q: matches %q, hint %q, sources %v", query, result.Matches, result.Hint, result.Sources)
	}
	short := make([]string, len(result.Matches))
	for i, m := range result.Matches {
		short[i] = strings.TrimPrefix(m, namePrefix)
	}
	return short
}

func searchCatalog() *Catalog {
	return Build([]string{"files", "mail", "kalender", "archivos", "jp", "db"}, []Source{
		{Server: "files", Rules: open(), Known: true, Tools: []Tool{
			tool("read_file", "Read the complete contents of a file from the file system as text.", `{"properties":{"path":{"type":"string"},"encoding":{"type":"string"}}}`),
			tool("write_file", "Create a new file or overwrite an existing one with new content.", ""),
			tool("search_files", "Recursively search for files and directories matching a pattern.", ""),
			tool("moveFile", "Move or rename files.", ""),
		}},
		{Server: "mail", Rules: open(), Known: true, Tools: []Tool{
			tool("send_message", "Send an email to one or more recipients with optional attachments.", `{"properties":{"recipient":{"type":"string"},"subject":{"type":"string"}}}`),
			tool("list_messages", "List the messages of a mailbox, newest first.", ""),
		}},
		{Server: "kalender", Rules: open(), Known: true, Tools: []Tool{
			tool("termin_anlegen", "Legt einen neuen Termin im Kalender an und lädt Gäste ein.", ""),
			tool("datei_anhaengen", "Hängt Dateien an einen Termin an; Größe höchstens 5 MB, Straße und Ort bleiben.", ""),
		}},
		{Server: "archivos", Rules: open(), Known: true, Tools: []Tool{
			tool("buscar", "Búsqueda rápida de archivos y carpetas del año pasado.", ""),
			tool("borrar", "Elimina una carpeta completa.", ""),
		}},
		{Server: "jp", Rules: open(), Known: true, Tools: []Tool{tool("yomu", "ファイルを読む道具", "")}},
		{Server: "db", Rules: open(), Known: true, Tools: []Tool{
			tool("query", "Runs a SQL statement against the database and returns the rows.", ""),
			tool("query_plan", "Explains how the database would run a query.", ""),
		}},
	})
}

func TestSearchFinds(t *testing.T) {
	c := searchCatalog()
	for query, want := range map[string]string{
		"read file contents":           "files__read_file",
		"reading files":                "files__read_file",
		"READ":                         "files__read_file",
		"rename":                       "files__moveFile",
		"move file":                    "files__moveFile",
		"email":                        "mail__send_message",
		"send an email with subject":   "mail__send_message",
		"recipient":                    "mail__send_message",
		"encoding":                     "files__read_file",
		"sql":                          "db__query",
		"Termin anlegen":               "kalender__termin_anlegen",
		"termine":                      "kalender__termin_anlegen",
		"Gäste":                        "kalender__termin_anlegen",
		"gaste":                        "kalender__termin_anlegen",
		"Datei":                        "kalender__datei_anhaengen",
		"GRÖSSE":                       "kalender__datei_anhaengen",
		"strasse":                      "kalender__datei_anhaengen",
		"búsqueda":                     "archivos__buscar",
		"busqueda":                     "archivos__buscar",
		"carpetas del año":             "archivos__buscar",
		"año":                          "archivos__buscar",
		"ファイル":                         "jp__yomu",
		"読む":                           "jp__yomu",
		"mcp__db__query":               "db__query",
		"query":                        "db__query",
		"query-plan":                   "db__query_plan",
		"calendar kalender":            "kalender__termin_anlegen",
		"list my newest mail messages": "mail__list_messages",
	} {
		if got := found(t, c, query); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %q first", query, got, want)
		}
	}
}

// TestSearchFindsGermanAndSpanish: umlauts and how they are typed without, plurals,
// and words that are put together.
func TestSearchFindsGermanAndSpanish(t *testing.T) {
	c := Build([]string{"de", "es"}, []Source{
		{Server: "de", Rules: open(), Known: true, Tools: []Tool{
			tool("haus_suchen", "Sucht ein Haus nach Größe und Straße.", ""),
			tool("kalender", "Zeigt den Terminkalender einer Woche.", ""),
			tool("rechnung", "Erstellt eine Rechnung für Kundinnen und Kunden.", ""),
			tool("wolke", "Laedt Dateien in den Wolkenspeicher hoch und prueft sie.", ""),
			tool("buch", "Leiht ein Buch aus; überfällige Bücher werden verlängert.", ""),
		}},
		{Server: "es", Rules: open(), Known: true, Tools: []Tool{
			tool("traducir", "Traducción automática de documentos al español.", ""),
			tool("factura", "Crea una factura y la envía por correo electrónico.", ""),
			tool("habitacion", "Reserva una habitación de hotel según el país.", ""),
		}},
	})
	for query, want := range map[string]string{
		"Häuser": "de__haus_suchen", "haeuser": "de__haus_suchen", "Groesse": "de__haus_suchen", "größe": "de__haus_suchen", "STRASSE": "de__haus_suchen",
		"Termin Kalender": "de__kalender", "Termine": "de__kalender", "Kalendereintrag": "de__kalender",
		"Rechnungen": "de__rechnung", "Rechnungserstellung": "de__rechnung", "Kundin": "de__rechnung", "Kundenrechnung": "de__rechnung",
		"lädt": "de__wolke", "prüft": "de__wolke", "Speicher": "de__wolke", "Wolke": "de__wolke", "Wolkenspeichern": "de__wolke",
		"Bücher": "de__buch", "buecher": "de__buch", "verlaengert": "de__buch",
		"traduccion": "es__traducir", "traducciones": "es__traducir", "documento": "es__traducir", "espanol": "es__traducir",
		"facturas": "es__factura", "electronico": "es__factura", "correos": "es__factura",
		"habitaciones": "es__habitacion", "hoteles": "es__habitacion", "países": "es__habitacion",
	} {
		if got := found(t, c, query); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %q first", query, got, want)
		}
	}
	for _, query := range []string{"Wettervorhersage", "Überweisung", "Bahn", "cocinar", "vuelo a Madrid", "Hausaufgaben korrigieren lassen"} {
		if got := found(t, c, query); len(got) != 0 {
			t.Errorf("%q finds %q", query, got)
		}
	}
}

// A capability that is not there must be said to be missing: without a floor a
// model goes on searching.
func TestSearchAdmitsNothingIncidental(t *testing.T) {
	c := searchCatalog()
	for _, query := range []string{
		"weather forecast", "translate klingon text", "book a flight to Berlin", "play music", "the", "generate an image of a cat",
		"transfer money between bank accounts", "Wettervorhersage", "!!!", "xyzzy",
	} {
		if got := found(t, c, query); len(got) != 0 {
			t.Errorf("%q finds %q", query, got)
		}
	}
}

func TestRarestWordDecides(t *testing.T) {
	var tools []Tool
	for i := range 20 {
		tools = append(tools, tool(fmt.Sprintf("file_tool_%02d", i), "Works on a file in a folder with options.", ""))
	}
	tools = append(tools, tool("checksum", "Computes the checksum of a file.", ""))
	c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: tools}})
	if got := found(t, c, "checksum file"); !slices.Equal(got, []string{"s__checksum"}) {
		t.Errorf("found %q", got)
	}
	// Four answerable words: half of them are enough, fewer are not.
	if got := found(t, c, "checksum folder options works"); len(got) != 0 {
		t.Errorf("one of four words was enough: %q", got)
	}
}

func TestExactNamesComeFirst(t *testing.T) {
	c := Build([]string{"a", "b"}, []Source{
		{Server: "a", Rules: open(), Known: true, Tools: []Tool{tool("log", "x", ""), tool("log_log_log", "log log log log", "")}},
		{Server: "b", Rules: open(), Known: true, Tools: []Tool{tool("log", "y", ""), tool("catalog", "log log", "")}},
	})
	if got := found(t, c, "log"); len(got) < 2 || got[0] != "a__log" || got[1] != "b__log" {
		t.Errorf("found %q", got)
	}
	if got := found(t, c, "mcp__b__log"); len(got) == 0 || got[0] != "b__log" {
		t.Errorf("found %q", got)
	}
}

func TestSearchIsStable(t *testing.T) {
	args := json.RawMessage(`{"queries":["widget angle","position"],"limit":25}`)
	var first string
	for range 3 {
		c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: numbered(100)}})
		got := c.Search(args, Options{})
		if first == "" {
			first = got
		}
		if got != first || c.Search(args, Options{}) != first {
			t.Fatal("the same search answered differently")
		}
	}
}

func TestResultFormat(t *testing.T) {
	long := strings.Repeat("very ", 150)
	c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: []Tool{
		tool("x", long+"<b>", `{"required":["a","b\u200bc"]}`),
		tool("y", "other", `{"required":"odd"}`),
	}}})
	got := c.Search(json.RawMessage(`{"queries":["x","nothing at all"]}`), Options{})
	const head = `{"queries":["x","nothing at all"],"total_available":2,"results":[{"query":"x","matches":["mcp__s__x"]},` +
		`{"query":"nothing at all","matches":[],"available_sources":[{"name":"s","tool_count":2}],"hint":"No tool matches.`
	if !strings.HasPrefix(got, head) {
		t.Errorf("answer %s", got)
	}
	wantTool := `"tools":{"mcp__s__x":{"source":"mcp","source_name":"s","description":"` + strings.TrimSpace(long[:500]) + `…","required":["a","bc"]}}}`
	if !strings.HasSuffix(got, wantTool) {
		t.Errorf("answer %s\nwant the end %s", got, wantTool)
	}
	if odd := c.Search(json.RawMessage(`{"queries":["y"]}`), Options{}); !strings.Contains(odd, `"required":[]`) {
		t.Errorf("answer %s", odd)
	}
}

func TestSearchWords(t *testing.T) {
	for in, want := range map[string]string{
		"mcp__files__read_file": "mcp files read file",
		"readHTTPFile2":         "read HTTP File2 readHTTPFile2",
		"a.b:c-d/e":             "a b c d e",
		"Straße über alles":     "Strasse über alles",
		"ファイルx":                 "フ ァ イ ル x",
		"e\u0301te\u0301":       "e\u0301te\u0301",
		"  ":                    "",
	} {
		if got := strings.Join(searchWords(in), " "); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

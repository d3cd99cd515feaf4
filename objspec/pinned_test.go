package objspec

// wordListsHash is of gofakeit v7.18.4; see TestWordLists.
const wordListsHash = 0xb19ab198d7873ac2

type pinnedRow struct{ spec, want string }

// pinnedGenerators are values of seed 42, key 7, in hex, worked out with an
// independent program from the rules in random.go and the makers' comments. As
// with TestPinned: don't adapt the values.
func pinnedGenerators() []pinnedRow {
	return []pinnedRow{
		{`@int(18,90)`, "000000000000004c"},
		{`@key`, "0000000000000007"},
		{`@uuid`, "63643664316264392d636265372d346138632d393562342d336137356162386230636231"},
		{`@phone`, "2b312d3834312d3936352d35313535"},
		{`@date`, "323032342d30312d3238"},
		{`@geojson`, "0000007b2274797065223a22506f696e74222c22636f6f7264696e61746573223a5b2d35372e3931343930342c35342e3434303330325d7d"},
		{`@pick("a":1,"b":9)`, "62"},
		{`S{10..20}`, "63376938383070387a6c61716e7579616d69"},
		{`[1..4*@int(0,9)]`, "9403020409"},
		{`@credit_card`, "34383032343436313138303432393235"},
	}
}
